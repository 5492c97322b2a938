// Starts servers, each on the processor kept for them, and runs the load generator on the other one.
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const SERVER_CPU = '0';
const LOAD_CPU = '1';
const START_MS_MAX = 30_000;

const execute = promisify(execFile);

export class HttpServer {
  constructor(child, port) {
    this.child = child;
    this.port = port;
  }

  // Resolves once the server has said where it listens.
  static start(command) {
    return new Promise((resolve, reject) => {
      const child = spawn('taskset', ['-c', SERVER_CPU, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
      const late = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`does not listen: ${command.join(' ')}`));
      }, START_MS_MAX);
      let said = '';
      child.stderr.on('data', data => {
        said += data;
        const url = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(said);
        if (url === null) return;
        clearTimeout(late);
        resolve(new HttpServer(child, url[1]));
      });
      child.on('exit', () => {
        clearTimeout(late);
        reject(new Error(`ended: ${command.join(' ')}: ${said}`));
      });
    });
  }

  stop() {
    this.child.kill('SIGTERM');
  }

  // In MB: what is resident, and the share of it that no other process also has mapped.
  memory() {
    const megabytes = (file, field) => {
      const text = readFileSync(`/proc/${this.child.pid}/${file}`, 'utf8');
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)[1]) / 1024;
    };
    return { resident: megabytes('status', 'VmRSS'), proportional: megabytes('smaps_rollup', 'Pss') };
  }
}

export class Load {
  constructor(program, folder) {
    this.program = program;
    this.folder = folder; // Where the servers that it starts run.
  }

  async #run(...words) {
    const { stdout } = await execute('taskset', ['-c', LOAD_CPU, this.program, ...words.map(String)], { cwd: this.folder });
    return JSON.parse(stdout);
  }

  http(server, request, plan, ...options) {
    return this.#run('http', server.port, request, '--server-pid', server.child.pid, '--in-flight', plan.inFlight,
      '--seconds', plan.seconds, '--warm-up', plan.warmUp, ...options);
  }

  one(server, request, ...options) {
    return this.#run('http', server.port, request, '--requests', 1, ...options);
  }

  pipe(command, request, plan) {
    return this.#run('stdio', request, '--server-cpu', SERVER_CPU, '--in-flight', plan.inFlight,
      '--seconds', plan.seconds, '--warm-up', plan.warmUp, '--', ...command);
  }

  coldStart(command) {
    return this.#run('cold', 'discover', '--server-cpu', SERVER_CPU, '--', ...command);
  }
}

// Medians by name, in nanoseconds and bytes per second; of processor time, but where several threads take part.
export async function microBenchmarks(program, rounds) {
  const { stdout } = await execute('taskset', ['-c', LOAD_CPU, program, '--benchmark_format=json',
    `--benchmark_repetitions=${rounds}`, '--benchmark_min_time=0.2', '--benchmark_report_aggregates_only=true'],
  { maxBuffer: 16 * 1024 * 1024 });
  const medians = JSON.parse(stdout).benchmarks.filter(entry => entry.aggregate_name === 'median');
  return Object.fromEntries(medians.map(entry => {
    const ns = entry.run_name.endsWith('/real_time') ? entry.real_time : entry.cpu_time;
    return [entry.run_name.replace('/real_time', ''), { ns, bytesPerSecond: entry.bytes_per_second }];
  }));
}
