// `sluice setup`: hosts are found, and their files get one server and keep every other byte.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';

import { binary } from './server_process.mjs';

const SLUICE = binary('SLUICE');
const scratch = mkdtempSync(join(tmpdir(), 'sluice-setup-test-'));
after(() => rmSync(scratch, { recursive: true }));
const data = join(scratch, 'my data');
mkdirSync(data);
writeFileSync(join(data, 'sales.csv'), 'a,b\n1,2\n');

const json = (key, eol = '\n') =>
  ['{', '\t"theme" : "dark",', `\t"${key}": {`, '\t\t"other": {"command": "x",  "args": ["é", "\\u0041"]}', '\t}, "last": [1.0, 2e3]', '}', ''].join(eol);
const jsonc = (key, eol = '\n') =>
  ['// my settings', '{', '  /* first */ "theme" : "dark", // dark', `  "${key}": {`, '    "other": {"command": "x",}, // keep "this" }', '    // the end', '  },', '}'].join(eol);
const toml = '# my settings\nmodel = "o3" # the best\n\n[mcp_servers.other]\ncommand = \'x\'\nargs = [ # all\n  "a", ]\n[projects."/home/me"]\ntrust_level = "trusted"';

// Where each host has its file, and one that a person may have made of it.
const HOSTS = {
  'claude-desktop': ['.config/Claude/claude_desktop_config.json', json('mcpServers')],
  'claude-code': ['.claude.json', json('mcpServers')],
  cursor: ['.cursor/mcp.json', jsonc('mcpServers')],
  vscode: ['.config/Code/User/mcp.json', jsonc('servers', '\r\n')],
  codex: ['.codex/config.toml', toml],
  gemini: ['.gemini/settings.json', jsonc('mcpServers')],
  windsurf: ['.codeium/windsurf/mcp_config.json', '\ufeff' + json('mcpServers', '\r\n')],
  opencode: ['.config/opencode/opencode.json', jsonc('mcp')],
  kiro: ['.kiro/settings/mcp.json', jsonc('mcpServers')],
  copilot: ['.copilot/mcp-config.json', json('mcpServers')],
  zed: ['.config/zed/settings.json', jsonc('context_servers')],
  cline: ['.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json', json('mcpServers')],
  lmstudio: ['.lmstudio/mcp.json', json('mcpServers')],
};

function home(files = {}) {
  const folder = mkdtempSync(join(scratch, 'home-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const environment = (folder) => ({ HOME: folder, PATH: '/usr/bin:/bin' });

function setup(folder, ...args) {
  const ended = spawnSync(SLUICE, ['setup', ...args], { env: environment(folder), encoding: 'utf8', timeout: 20_000 });
  return { status: ended.status, out: ended.stdout, errors: ended.stderr };
}

describe('setup', () => {
  for (const [host, [file, before]] of Object.entries(HOSTS)) {
    it(`adds one server to the file of ${host}, once, and takes it out again`, () => {
      const folder = home({ [file]: before });
      const path = join(folder, file);
      const first = setup(folder, data, '--host', host, '--yes');
      assert.equal(first.status, 0, first.errors);
      const text = readFileSync(path, 'utf8');
      assert.ok(text.includes(SLUICE) && text.includes(JSON.stringify(data)), text);
      // Nothing that was there is lost: what remains of the new text without the old one is the server.
      let at = 0;
      for (const character of before) {
        at = text.indexOf(character, at) + 1;
        assert.ok(at > 0, `a part of the file is lost in\n${text}`);
      }
      for (const line of before.split('\n').filter((each) => /\/\/|#|\/\*/.test(each))) assert.ok(text.includes(line), line);
      assert.equal(readFileSync(`${path}.before-sluice`, 'utf8'), before);
      const second = setup(folder, data, '--host', host, '--yes');
      assert.equal(second.status, 0, second.errors);
      assert.match(second.out, /nothing to change/);
      assert.equal(readFileSync(path, 'utf8'), text);
      const undone = setup(folder, '--undo', '--host', host, '--yes');
      assert.equal(undone.status, 0, undone.errors);
      assert.equal(readFileSync(path, 'utf8'), before);
      assert.deepEqual(readdirSync(dirname(path)).filter((name) => name.includes('sluice')), []);
    });

    it(`refuses an invalid file of ${host} with line and column`, () => {
      const broken = before.replace('other', 'other\n').replace(/"theme" ?: ?"dark"/, '"theme" :: "dark"');
      const folder = home({ [file]: broken });
      const refused = setup(folder, data, '--host', host, '--yes');
      assert.equal(refused.status, 1, refused.out);
      assert.match(refused.errors, /: line \d+, column \d+: /);
      assert.equal(readFileSync(join(folder, file), 'utf8'), broken);
    });
  }

  it('finds the hosts of the machine, and no others', () => {
    const folder = home({ '.cursor/mcp.json': '', '.codex/config.toml': '' });
    const shown = setup(folder, data);
    assert.equal(shown.status, 1);
    assert.match(shown.out, /^Cursor:$/m);
    assert.match(shown.out, /^Codex:$/m);
    assert.doesNotMatch(shown.out, /^(Zed|Kiro|Windsurf):$/m);
    assert.match(shown.errors, /nothing was written; run it in a terminal, or with --yes/);
    assert.equal(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8'), '');
  });

  it('writes after a yes in a terminal, and not after anything else', () => {
    const folder = home({ '.cursor/mcp.json': '{}' });
    const run = (answer) => spawnSync('script', ['-qec', `'${SLUICE}' setup '${data}' --host cursor`, '/dev/null'],
      { env: environment(folder), input: answer, encoding: 'utf8', timeout: 20_000 });
    assert.match(run('\n').stdout, /Write this\? \[y\/N\]/);
    assert.equal(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8'), '{}');
    run('y\n');
    assert.match(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8'), /"sluice"/);
  });

  it('says what to do if there is no host', () => {
    const ended = setup(home(), data, '--yes');
    assert.equal(ended.status, 1);
    assert.match(ended.errors, /no host was found on this machine\n.*--print: claude-desktop/);
  });

  it('writes entries that start the program and answer', async () => {
    const folder = home({ '.cursor/mcp.json': '' });
    assert.equal(setup(folder, data, '--host', 'cursor', '--yes').status, 0);
    const { command, args } = JSON.parse(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8')).mcpServers.sluice;
    const question = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } };
    const ended = spawnSync(command, args, { cwd: '/', env: environment(folder), input: JSON.stringify(question) + '\n', encoding: 'utf8', timeout: 20_000 });
    assert.match(ended.stdout, /"serverInfo"/);
  });

  it('keeps the link of a file that leads elsewhere', () => {
    const folder = home({ 'dotfiles/mcp.json': '{}' });
    mkdirSync(join(folder, '.cursor'));
    symlinkSync('../dotfiles/mcp.json', join(folder, '.cursor/mcp.json'));
    const ended = setup(folder, data, '--host', 'cursor', '--yes');
    assert.match(ended.out, /a link to .*dotfiles\/mcp\.json/);
    assert.match(readFileSync(join(folder, 'dotfiles/mcp.json'), 'utf8'), /"sluice"/);
  });

  it('refuses a file that others may write to, and names of other servers', () => {
    const folder = home({ '.cursor/mcp.json': '{}', '.kiro/settings/mcp.json': '{"mcpServers": {"sluice": {"url": "https://a.example"}}}' });
    chmodSync(join(folder, '.cursor/mcp.json'), 0o666);
    const ended = setup(folder, data, '--yes');
    assert.equal(ended.status, 1);
    assert.match(ended.errors, /Cursor: others may write to the file: /);
    assert.match(ended.errors, /Kiro: .*another server has the name sluice\n.*--name/);
    assert.equal(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8'), '{}');
    assert.equal(setup(folder, data, '--host', 'kiro', '--name', 'sales', '--yes').status, 0);
  });

  it('refuses sources that cannot be served, and unknown hosts and names', () => {
    const folder = home({ '.cursor/mcp.json': '{}' });
    assert.match(setup(folder, join(data, 'nothing'), '--yes').errors, /nothing: No such file/);
    assert.match(setup(folder, '--yes').errors, /name what is to be served/);
    assert.match(setup(folder, data, '--host', 'notepad').errors, /notepad not in \{claude-desktop,/);
    assert.match(setup(folder, data, '--name', 'a.b', '--yes').errors, /a name has at most 64 letters, digits, - and _: a\.b/);
    assert.equal(setup(folder, data, '--name', 'a.b', '--yes').status, 2);
  });

  it('prints what a host needs without touching anything', () => {
    const folder = home();
    const printed = setup(folder, data, '--print', 'codex', '--name', 'sales');
    assert.equal(printed.status, 0, printed.errors);
    assert.match(printed.out, /Linux +~\/\.codex\/config\.toml/);
    assert.match(printed.out, /\[mcp_servers\.sales\]\ncommand = ".*"\nargs = \["serve", ".*my data"\]\n/);
    assert.match(printed.out, /codex mcp add sales -- .* serve '.*my data'\n/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('lets two setups at the same time both succeed', async () => {
    const folder = home({ '.cursor/mcp.json': '{}', '.codex/config.toml': '' });
    const names = ['a', 'b', 'c', 'd'];
    const started = names.map((name) => spawn(SLUICE, ['setup', data, '--yes', '--name', name], { env: environment(folder), stdio: 'ignore' }));
    const ended = await Promise.all(started.map((child) => once(child, 'exit')));
    assert.deepEqual(ended.map(([status]) => status), [0, 0, 0, 0]);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8')).mcpServers).sort(), names);
    for (const name of names) assert.ok(readFileSync(join(folder, '.codex/config.toml'), 'utf8').includes(`[mcp_servers.${name}]`));
    assert.ok(existsSync(join(folder, '.codex/config.toml.before-a')));
  });
});

describe('doctor', () => {
  const doctor = (folder, ...args) => {
    const ended = spawnSync(SLUICE, ['doctor', ...args], { env: environment(folder), encoding: 'utf8', timeout: 60_000 });
    return { status: ended.status, out: ended.stdout };
  };

  it('starts the entries of hosts and says which version answers', () => {
    const folder = home({ '.cursor/mcp.json': '', '.codex/config.toml': '' });
    assert.equal(setup(folder, data, '--host', 'cursor', '--yes').status, 0);
    const { status, out } = doctor(folder, data);
    assert.equal(status, 0, out);
    assert.match(out, /^ok +collection .*1 of them readable/m);
    assert.match(out, /^ok +Cursor: sluice \(.* serve .*my data\): sluice \d+\.\d+\.\d+ answers$/m);
    assert.match(out, /^ok +Codex: does not know this program; add it with sluice setup SOURCE --host codex$/m);
  });

  it('fails for programs that are gone, do not answer or are of an invalid file', () => {
    const folder = home({
      '.cursor/mcp.json': '{"mcpServers": {"sluice": {"command": "/nowhere/sluice", "args": ["serve"]}}}',
      '.kiro/settings/mcp.json': `{"mcpServers": {"sluice": {"command": "${SLUICE}", "args": ["serve", "/no/such/folder"]}, "x": {"command": "/other"}}}`,
      '.codex/config.toml': 'a = ',
    });
    const { status, out } = doctor(folder, data);
    assert.equal(status, 1, out);
    assert.match(out, /^FAILED Cursor: .*there is no program \/nowhere\/sluice; run sluice setup again$/m);
    assert.match(out, /^FAILED Kiro: sluice \(/m);
    assert.match(out, /^FAILED Codex: .*config\.toml: line 1, column 5: a value was expected$/m);
    assert.doesNotMatch(out, /\/other/);
  });

  it('says so if the machine has no host', () => {
    assert.match(doctor(home(), data).out, /^ok +hosts: none were found on this machine$/m);
  });
});
