// What an agent pays for the lean tools over a folder of 69 files, counted with the o200k tokenizer.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { connect, modernClient } from '../e2e/connection.mjs';
import { npmPackage } from '../e2e/npm_package.mjs';
import { binary } from '../e2e/server_process.mjs';
import { until } from '../e2e/waiting.mjs';
import { analystFolder } from './folder.mjs';

const { encode } = npmPackage('gpt-tokenizer/encoding/o200k_base');
const tokens = (text) => encode(text).length;
const BUSY_MS_MAX = 45_000;  // Files are looked at within a bounded time in each call.
const SOME = ['airports', 'barley', 'birdstrikes', 'cars', 'disasters', 'earthquakes', 'flights_3m', 'gapminder', 'jobs', 'movies', 'penguins',
  'population', 'seattle_weather', 'stocks', 'unemployment', 'us_state_capitals', 'zipcodes'];

let folder;
let client;
const ends = [];
before(async () => {
  folder = analystFolder(binary('SLUICE'));
  ({ client } = await connect({ after: (end) => ends.push(end) }, modernClient({ capabilities: {} }),
    { sdk: 'modern', transport: 'stdio', program: 'SLUICE', args: ['serve', folder.path] }));
});
after(async () => {
  for (const end of ends) await end();
  folder?.remove();
});

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  return { text: result.content.map((one) => one.text ?? '').join('\n'), isError: result.isError ?? false };
}
async function answer(name, args) {
  const { text, isError } = await call(name, args);
  assert.ok(!isError, text);
  return text;
}

it('has definitions and instructions of at most 500 tokens', async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ['catalog', 'describe', 'plot', 'query']);
  const [plot, others] = [true, false].map((is) => tools.filter((tool) => (tool.name === 'plot') === is));
  const used = tokens(JSON.stringify(others)) + tokens(client.getInstructions());
  assert.ok(used <= 500, `${used} tokens`);
  const shown = plot.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema })).join();
  assert.ok(tokens(shown) <= 120, `${tokens(shown)} tokens of plot`);
});

it('lists 69 tables with all of their columns in at most 1,500 tokens, and most of them by default', async () => {
  const whole = await until('the columns of all tables are known', async () => {
    const text = await answer('catalog', { max_tokens: 1600 });  // The server's estimate is a little too high.
    return text.trimEnd().split('\n').every((line) => /^\w+ ~?\d+: \S/.test(line)) && text;
  }, BUSY_MS_MAX);
  assert.ok(tokens(whole) <= 1500, `${tokens(whole)} tokens`);
  assert.ok(whole.trimEnd().split('\n').length >= 69, whole);
  const usual = await answer('catalog', {});
  assert.ok(tokens(usual) <= 1200 && tokens(usual) >= 1050, `${tokens(usual)} tokens`);
  assert.ok(usual.split('\n').filter((line) => /^\S+ ~?\d+: \S/.test(line)).length >= 40, usual);
});

it('describes 17 tables in at most 900 tokens', async () => {
  const text = await until('the statistics are known', async () => {
    const now = await answer('describe', { datasets: SOME });
    return !/^# values of \d+ tables? are not known yet: ask again$/m.test(now) && now;
  }, BUSY_MS_MAX);
  for (const known of [/ \d+\.\.\d+/, /strptime/, /^# values and ranges of \d+ tables left out: /m]) assert.match(text, known);
  assert.ok(tokens(text) <= 900, `${tokens(text)} tokens:\n${text}`);
  for (const name of SOME) assert.match(text, new RegExp(`^${name} ~?\\d+ rows$`, 'm'));
});

it('answers with one row in at most 25 tokens', async () => {
  for (const sql of ['SELECT count(*) AS n FROM "flights-3m"', 'SELECT round(avg(delay), 2) AS delay, max(distance) AS miles FROM "flights-3m"',
    'SELECT Title, IMDB_Rating FROM movies ORDER BY IMDB_Rating DESC, Title LIMIT 1',
    'SELECT state, count(*) AS airports FROM airports GROUP BY state ORDER BY airports DESC, state LIMIT 1',
    'SELECT min(date) AS first, max(date) AS last FROM "seattle-weather"']) {
    const text = await answer('query', { sql });
    assert.ok(tokens(text) <= 25, `${tokens(text)} tokens: ${text}`);
    assert.equal(text.trimEnd().split('\n').length, 2, text);
  }
});

it('answers careless questions in at most 400 tokens', async () => {
  for (const sql of ['SELECT * FROM movies', 'SELECT * FROM flights_3m', 'SELECT * FROM zipcodes', 'FROM earthquakes', 'SELECT * FROM us_employment',
    'SELECT * FROM political_contributions', 'SELECT * FROM birdstrikes, cars', 'SELECT * FROM budget UNION ALL BY NAME SELECT * FROM movies',
    'SELECT a.* FROM flights_3m a JOIN flights_10k b USING (origin)', 'SELECT Title FROM movies', 'SELECT list(Title) AS all_titles FROM movies', 'SELECT string_agg(city) AS cities FROM zipcodes GROUP BY state']) {
    const { text } = await call('query', { sql });
    assert.ok(tokens(text) <= 400, `${tokens(text)} tokens for ${sql}:\n${text}`);
  }
});

// Beside the line that a bounded answer begins with.
it('answers with at most the tokens that the call allows', async () => {
  for (const sql of ['FROM us_employment', 'SELECT nonfarm, private FROM us_employment', 'SELECT * FROM penguins', 'SELECT city, state FROM us_state_capitals',
    ['FROM cars', 'FROM burtin', 'FROM us_employment']]) {
    for (const most of [1000, 4000, 8000]) {
      const text = await answer('query', { sql, max_tokens: most });
      assert.ok(tokens(text) <= most + 30 * [sql].flat().length, `${tokens(text)} tokens instead of ${most} for ${sql}`);
    }
  }
});
