#!/usr/bin/env node
// Starts the program of the package for this platform, or says in one line why it cannot run here.
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const { isatty } = require("node:tty");

const PLATFORMS = ["linux-x64", "linux-arm64"];
const [GLIBC_MAJOR, GLIBC_MINOR] = [@GLIBC_MAJOR@, @GLIBC_MINOR@];
const FORWARDED = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGCONT"];

function refuse(message) {
  process.stderr.write(`sluice: ${message}\n`);
  process.exit(1);
}

function checkLibrary() {
  process.report.excludeNetwork = true; // Otherwise the report looks up the names of open sockets.
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  const [major, minor] = (glibc ?? "0.0").split(".").map(Number);
  if (major > GLIBC_MAJOR || (major === GLIBC_MAJOR && minor >= GLIBC_MINOR)) return;
  const needs = `this build needs glibc ${GLIBC_MAJOR}.${GLIBC_MINOR} or newer`;
  refuse(`${needs}, and this system has ${glibc ?? "another C library"}; use the container image`);
}

function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    const builds = `there is no build for ${platform}, only for ${PLATFORMS.join(" and ")}`;
    refuse(`${builds}; use the container image, or a Linux machine over HTTP`);
  }
  checkLibrary();
  try {
    return require.resolve(`@sluice-mcp/${platform}/lib/sluice/sluice`);
  } catch {
    const why = "npm left optional packages out (--omit=optional, or a lock file of another platform)";
    return refuse(`@sluice-mcp/${platform} is not installed; ${why}`);
  }
}

function run(program, words) {
  try {
    fs.accessSync(program, fs.constants.X_OK); // execve would end Node.js with a trace of its stack.
  } catch (error) {
    refuse(`the program cannot be started: ${error.message}`);
  }
  process.emitWarning = () => {}; // execve is experimental, and says so on stderr.
  if (process.execve) return process.execve(program, [program, ...words], process.env);
  const child = spawn(program, words, { stdio: "inherit" });
  // A terminal sends Ctrl-C to every process in front of it, so the program has that signal already.
  for (const name of FORWARDED) process.on(name, () => name === "SIGINT" && isatty(0) || child.kill(name));
  child.on("error", (error) => refuse(`the program cannot be started: ${error.message}`));
  child.on("exit", (status, signal) => {
    if (signal === null) process.exit(status);
    for (const name of FORWARDED) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    setTimeout(process.exit, 100, 1); // If the signal was ignored.
  });
}

run(findProgram(), process.argv.slice(2));
