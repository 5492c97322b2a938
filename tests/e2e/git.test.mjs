// `sluice serve` over repositories, used by the official clients: reading, paging, changes; and what check and diagnose say of them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');

// What the user and the environment say about git is not looked at: were it, everything would be ignored, or sought elsewhere.
const HOME = mkdtempSync(join(tmpdir(), 'sluice-home-'));
after(() => rmSync(HOME, { recursive: true }));
mkdirSync(join(HOME, '.config/git'), { recursive: true });
writeFileSync(join(HOME, '.config/git/ignore'), '*\n');
writeFileSync(join(HOME, '.gitconfig'), `[core]\n\texcludesFile = ${join(HOME, '.config/git/ignore')}\n`);
Object.assign(process.env, {
  HOME, XDG_CONFIG_HOME: join(HOME, '.config'), GIT_DIR: HOME, GIT_WORK_TREE: HOME, GIT_OBJECT_DIRECTORY: HOME, GIT_INDEX_FILE: join(HOME, 'index'),
});

function folderFor(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-git-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

// Nothing of this machine's settings.
function git(folder, ...args) {
  const env = {
    PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8' }).trim();
}

function commit(folder, name, text, message) {
  writeFileSync(join(folder, name), text);
  git(folder, 'add', '--', name);
  git(folder, 'commit', '-q', '-m', message);
  return git(folder, 'rev-parse', 'HEAD');
}

function repositoryFor(t) {
  const folder = folderFor(t);
  git(folder, 'init', '-q', '-b', 'main');
  commit(folder, 'a.csv', 'x\n1\n', 'first');
  return folder;
}

async function serve(t, ...args) {
  const server = await ServerProcess.listening(SLUICE, ['serve', ...args, '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return server;
}

for (const sdk of ['modern', 'legacy']) {
  describe(`a repository served to a client of the ${sdk} era`, () => {
    const client = () => (sdk === 'modern' ? modernClient() : legacyClient());

    it('is read from its log to a file of any commit', async (t) => {
      const folder = repositoryFor(t);
      const second = commit(folder, 'a.csv', 'x\n2\n', 'second');
      writeFileSync(join(folder, 'sluice.yaml'), 'git: [ { path: . } ]\n');
      const server = await serve(t, join(folder, 'sluice.yaml'));
      const link = await connect(t, client(), { sdk, transport: 'http', server });
      const read = async (uri) => (await link.client.readResource({ uri })).contents[0];
      assert.equal((await read('git://log?limit=1')).text, `${second.slice(0, 10)} second\n`);
      const next = (await read('git://log?limit=1'))._meta['sluice/next'];
      assert.match((await read(next)).text, / first\n$/);
      assert.equal((await read(`git://${second}/a.csv`)).text, 'x\n2\n');
      assert.match((await read(`git://commit/${second}`)).text, /-1\n\+2\n$/);
      assert.equal((await read('git://status')).text, '## main\n?? sluice.yaml\n');
      await assert.rejects(link.client.readResource({ uri: 'git://HEAD~1/a.csv' }), /Resource not found/);
      const told = (await link.client.callTool({ name: 'diagnose', arguments: {} })).structuredContent.sources[0];
      assert.deepEqual([told.kind, told.branch, told.branches, told.tags], ['git', 'main', 1, 0]);
    });
  });
}

describe('a served folder with a .git folder in it', () => {
  it('is a repository beside its data, and nothing hidden becomes readable', async (t) => {
    const server = await serve(t, repositoryFor(t));
    const link = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
    const log = await link.client.readResource({ uri: 'git://log' });
    assert.match(log.contents[0].text, /^[0-9a-f]{10} first\n$/);
    for (const uri of ['git://.git/config', 'git://main/.git/config', 'file:///.git/config', 'git://config'])
      await assert.rejects(link.client.readResource({ uri }), /not found/i);
  });
});

describe('changes of a repository', () => {
  it('are told', async (t) => {
    const folder = repositoryFor(t);
    const server = await serve(t, folder);
    const legacy = legacyClient();
    const link = await connect(t, legacy, { sdk: 'legacy', transport: 'http', server });
    const heard = [];
    link.client.fallbackNotificationHandler = async ({ params }) => heard.push(params?.uri);
    await link.client.subscribeResource({ uri: 'git://log' });
    commit(folder, 'b.txt', 'new', 'second');
    await until('the log is told of', () => heard.includes('git://log'));
  });
});

describe('sluice check', () => {
  it('says what a repository has, or why it is not served', (t) => {
    const folder = repositoryFor(t);
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', '.git'), 'gitdir: /elsewhere\n');
    writeFileSync(join(folder, 'sluice.yaml'), 'git: [ { path: ., name: repo }, { path: other } ]\n');
    const { stdout, status } = spawnSync(SLUICE, ['check', join(folder, 'sluice.yaml')], { encoding: 'utf8' });
    assert.match(stdout, /ok +git repo: on main, 1 branches, 0 tags/);
    assert.match(stdout, /FAILED git other: .*leads to another folder/);
    assert.equal(status, 1);
  });
});
