// Repositories: the first page of a long history, a page far behind, and a file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { markdown, median, number, targetText, verdict } from './table.mjs';
import { ToolClient } from './tool_client.mjs';

const COMMITS = 50_000;
const READS = 41;
const FAR_READS = 5;
const MINUTE = 60;
const BEGIN = 1_700_000_000;

function history() {
  const parts = [];
  for (let i = 0; i < COMMITS; ++i) {
    const subject = `Commit ${i}`;
    parts.push(`commit refs/heads/main\ncommitter Ada <ada@example.org> ${BEGIN + i * MINUTE} +0000\ndata ${subject.length}\n${subject}\n`
      + `M 100644 inline file${i % 10}\ndata ${String(i).length}\n${i}\n\n`);
  }
  return parts.join('');
}

export class GitBench {
  constructor({ build, say }) {
    this.say = say;
    this.program = path.join(build, 'sluice');
    this.folder = path.join(build, 'bench/data/repository');
  }

  git(args, input) {
    const env = { PATH: process.env.PATH, HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    return execFileSync('git', ['-C', this.folder, ...args], { env, input, encoding: 'utf8' }).trim();
  }

  async run() {
    this.say('git');
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    this.git(['init', '-q', '-b', 'main']);
    this.git(['fast-import', '--quiet'], history());
    const far = this.git(['rev-parse', `main~${COMMITS - 100}`]);
    const file = path.join(this.folder, 'sluice.yaml');
    writeFileSync(file, 'git: [ { path: . } ]\n');
    const client = new ToolClient(this.program, file);
    const times = async (count, uri) => {
      const out = [];
      for (let i = 0; i < count; ++i) out.push((await client.request('resources/read', { uri })).ms);
      return out;
    };
    try {
      return {
        first: await times(READS, 'git://log'),
        far: await times(FAR_READS, `git://log?after=${far}`),
        file: await times(READS, 'git://main/file7'),
      };
    } finally {
      await client.stop();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

export function gitTable({ first, far, file }) {
  const row = (what, target, ours) => [what, targetText(target), number(ours), verdict(target, ours)];
  const rows = [
    row('`git://log` of 50,000 commits, first page, ms', { atMost: 20 }, median(first)),
    row('`git://log?after=` behind 49,900 commits, ms', { atMost: 1_000 }, median(far)),
    row('`git://main/file7`, a small file, ms', { atMost: 10 }, median(file)),
  ];
  return markdown([['Measured', 'Target', 'Sluice', 'Verdict'], ['---', '--:', '--:', '---'], ...rows]);
}
