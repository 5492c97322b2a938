// The estimate of tokens that fits catalog and describe into their budgets, beside the o200k tokenizer.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { connect, modernClient } from '../e2e/connection.mjs';
import { npmPackage } from '../e2e/npm_package.mjs';
import { binary } from '../e2e/server_process.mjs';
import { until } from '../e2e/waiting.mjs';
import { analystFolder } from './folder.mjs';

const { encode } = npmPackage('gpt-tokenizer/encoding/o200k_base');
const DATA = join(dirname(fileURLToPath(import.meta.url)), 'data');
const BUSY_MS_MAX = 45_000;

const ends = [];
let folder;
before(() => {
  folder = analystFolder(binary('SLUICE'));
});
after(async () => {
  for (const end of ends) await end();
  folder?.remove();
});

// The number of tokens of each text, and what the program expects.
function counted(texts) {
  const { stdout } = spawnSync(binary('ESTIMATED_TOKENS'), { input: texts.join('\0'), encoding: 'utf8' });
  const estimates = stdout.trim().split('\n').map(Number);
  assert.equal(estimates.length, texts.length);
  return texts.map((text, i) => ({ text, tokens: encode(text).length, estimate: estimates[i] }));
}

const sum = (all, key) => all.reduce((total, one) => total + one[key], 0);

// What catalog and describe answer about the files of a folder, in full and within budgets.
async function answers(path) {
  const { client } = await connect({ after: (end) => ends.push(end) }, modernClient({ capabilities: {} }),
    { sdk: 'modern', transport: 'stdio', program: 'SLUICE', args: ['serve', path] });
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
  const catalog = await call('catalog', { max_tokens: 20_000 });
  const names = [...catalog.matchAll(/^("(?:[^"]|"")*"|\S+) ~?\d+: /gm)].map(([, name]) => name);
  const whole = await until('the statistics are known', async () => {
    const text = await call('describe', { datasets: ['*'], max_tokens: 20_000 });
    return !text.includes('are not known yet') && text;
  }, BUSY_MS_MAX);
  const out = [catalog, whole];
  for (const most of [300, 600, 1200]) out.push(await call('catalog', { max_tokens: most }));
  for (const name of names) out.push(await call('describe', { datasets: [name] }));
  return out;
}

it('is that of the tokenizer within a few percent for what catalog and describe answer', async () => {
  for (const path of [DATA, folder.path]) {
    const all = counted(await answers(path));
    for (const { text, tokens, estimate } of all) {
      if (tokens < 150) continue;
      assert.ok(estimate >= 0.95 * tokens && estimate <= 1.1 * tokens, `${estimate} for ${tokens}:\n${text}`);
    }
    const ratio = sum(all, 'estimate') / sum(all, 'tokens');
    assert.ok(ratio >= 0.99 && ratio <= 1.06, `${ratio} of ${sum(all, 'tokens')} tokens in ${path}`);
  }
});

it('is not below the tokenizer, and at most three times as high, for words of other scripts', () => {
  const texts = ['Հայաստանի Հանրապետության պետական բյուջեի եկամուտները և ծախսերը', 'Население города, доходы и расходы бюджета', 'Ο πληθυσμός της πόλης και τα έσοδα',
    'אוכלוסיית העיר והכנסות התקציב', 'عدد سكان المدينة وإيرادات الميزانية', 'शहर की जनसंख्या और बजट', 'ประชากรของเมืองและรายได้', 'ქალაქის მოსახლეობა და ბიუჯეტის შემოსავლები',
    '都市の人口と予算収入', '城市人口和预算收入', '도시 인구와 예산 수입', 'Ludność miasta i dochody budżetu', 'Şehrin nüfusu ve bütçe gelirleri', 'recettes budgétaires du ministère'];
  for (const { text, tokens, estimate } of counted(texts))
    assert.ok(estimate >= tokens && estimate <= 3 * tokens, `${estimate} for ${tokens}: ${text}`);
});

it('is not below half of the tokenizer for text without words', () => {
  const texts = ['xqZkWvJ_3f9a0c7be21d', 'aGVsbG8gd29ybGQ/PT0+Zq9XkW7vTb2Lm4', '0x7fA9C3e1', '🙂🙃🎉', 'የኢትዮጵያ', '1517900169770,-118.6671667', '","""",[{"', '\n\n\n   \t x'];
  for (const { text, tokens, estimate } of counted(texts))
    assert.ok(2 * estimate >= tokens && estimate <= 3 * tokens, `${estimate} for ${tokens}: ${text}`);
});
