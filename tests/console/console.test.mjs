// The console in a real browser: what its pages show, by mouse and keyboard, and that everybody can use them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { ConsoleServer, HOSTILE_CELL, consolePackage, launchBrowser, openPage, removeFolder, sampleFolder } from './console_server.mjs';

const AXE = readFileSync(consolePackage.resolve('axe-core/axe.min.js'), 'utf8');
const SCREENSHOTS = process.env.SCREENSHOTS;  // A folder, for people who want to look at the pages.

let folder;
let browser;
before(async () => {
  folder = sampleFolder();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  removeFolder(folder);
});

async function opened(t, options = {}, more = []) {
  const server = await ConsoleServer.start(folder, more);
  t.after(() => server.stop());
  const page = await openPage(t, browser, server, options);
  await page.goto(server.link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return { server, page };
}

async function run(page, sql) {
  await page.goto(page.url().replace(/#.*/, '#/query'));
  await page.getByLabel('SELECT statement').fill(sql);
  await page.getByLabel('SELECT statement').press('Control+Enter');
  await page.getByRole('tab', { name: 'Table' }).waitFor();
}

describe('the console', () => {
  it('signs in by a link whose key leaves the address', async (t) => {
    const { page } = await opened(t);
    assert.match(page.url(), /\/console\/#\/$/);
    await page.getByRole('link', { name: 'flights' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('lists and describes tables', async (t) => {
    const { page } = await opened(t);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByLabel('Search names, columns and values').fill('origin');
    await page.getByRole('link', { name: 'flights' }).click();
    await page.getByRole('heading', { name: 'flights' }).waitFor();
    await page.getByRole('rowheader', { name: 'delay' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Data', exact: true }).waitFor();
  });

  it('runs SQL and scrolls through the rows of the result', async (t) => {
    const { page } = await opened(t);
    await run(page, 'SELECT delay, origin, day FROM flights');
    const scroller = page.getByRole('region', { name: /^Rows of/ });
    await page.getByText('of 3,000').waitFor();
    await scroller.focus();
    await page.keyboard.press('End');
    const last = page.locator('tr[aria-rowindex="3001"]');
    await last.waitFor();
    await page.waitForFunction(() => document.querySelector('tr[aria-rowindex="3001"] td:nth-of-type(2)')?.textContent === 'null');
    assert.equal(await last.locator('td').first().textContent(), String(((2999 * 37) % 101) - 20));
    assert.equal(await last.locator('td').nth(2).textContent(), new Date(Date.UTC(2024, 0, 1 + (2999 % 90))).toISOString().slice(0, 10));
    assert.ok(await page.locator('.rows tbody tr').count() <= 60);
    await page.getByLabel('Go to row').fill('1501');
    await page.getByLabel('Go to row').press('Enter');
    await page.waitForFunction((expected) => document.querySelector('tr[aria-rowindex="1502"] td')?.textContent === expected, String(((1500 * 37) % 101) - 20));
  });

  it('shows what the agent reads, and the call', async (t) => {
    const { page } = await opened(t);
    await run(page, 'SELECT origin, count(*) AS n FROM flights GROUP BY 1 ORDER BY 1');
    await page.getByRole('tab', { name: /As the agent reads it/ }).click();
    await page.getByText('ATL,600').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('"method": "tools/call"').waitFor();
  });

  it('draws a picture of the result', async (t) => {
    const { page } = await opened(t);
    await run(page, 'SELECT origin, avg(delay) AS delay FROM flights GROUP BY 1 ORDER BY 1');
    await page.getByRole('tab', { name: 'Plot' }).click();
    await page.locator('.picture svg rect[data-x="ATL"]').waitFor();
    await page.getByLabel('Kind').selectOption('line');
    await page.locator('.picture svg path').first().waitFor();
    assert.equal(await page.locator('.picture script, .picture [style], .picture a').count(), 0);
  });

  it('shows errors as agents get them', async (t) => {
    const { page } = await opened(t);
    await page.goto(page.url().replace(/#.*/, '#/query'));
    await page.getByLabel('SELECT statement').fill('SELECT nothing FROM flights');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('invalid_column').waitFor();
  });

  it('lists results and tools', async (t) => {
    const { page } = await opened(t);
    await run(page, 'SELECT * FROM flights LIMIT 7');
    await page.getByRole('link', { name: 'Results' }).click();
    await page.getByRole('cell', { name: '7', exact: true }).waitFor();
    await page.getByRole('rowheader').getByRole('link').first().click();
    await page.getByText('of 7').waitFor();
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'plot', exact: true }).click();
    await page.getByText('"heatmap"').waitFor();
  });

  it('makes no markup of names and cells', async (t) => {
    const { page } = await opened(t);
    await run(page, 'SELECT * FROM hostile');
    await page.getByText('of 2').waitFor();
    await page.waitForFunction((cell) => document.querySelector('.rows tbody td')?.textContent === cell, HOSTILE_CELL);
    assert.equal(await page.locator('.rows img, .rows script, .rows b').count(), 0);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'hostile' }).click();
    await page.getByRole('heading', { name: 'hostile' }).waitFor();
    await page.getByText('gnihton').waitFor().catch(() => {});
    assert.doesNotMatch(await page.title(), /owned/);
  });

  it('is used by keyboard alone', async (t) => {
    const { page } = await opened(t);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    await run(page, 'SELECT 1 AS one');
    await page.getByRole('tab', { name: 'Table' }).focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Call');
  });

  it('says that the session has ended', async (t) => {
    const { page } = await opened(t);
    await page.getByRole('button', { name: /Sign out/ }).click();
    await page.getByLabel(/sign in with a token/).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  });
});

const PAGES = [
  ['overview', '#/', (page) => page.getByRole('link', { name: 'flights' })],
  ['data', '#/data', (page) => page.getByRole('link', { name: 'flights' })],
  ['table', '#/data/flights', (page) => page.getByRole('rowheader', { name: 'delay' })],
  ['query', '#/query', (page) => page.getByRole('button', { name: 'Run' })],
  ['results', '#/results', (page) => page.getByRole('rowheader').first()],
  ['tools', '#/tools', (page) => page.getByRole('link', { name: 'plot', exact: true })],
];

async function look(page, name, size, theme) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
  assert.deepEqual(violations.map((one) => `${name}: ${one.id}: ${one.nodes.map((node) => node.target).join(' ')}`), []);
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(width[0] <= width[1], `${name} is ${width[0]} px wide in a window of ${width[1]} px`);
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-${size}-${theme}.png`) });
}

for (const theme of ['light', 'dark']) {
  for (const [size, viewport] of [['wide', { width: 1280, height: 800 }], ['narrow', { width: 390, height: 844 }], ['smallest', { width: 320, height: 640 }]]) {
    it(`has no obstacle for anybody: ${theme}, ${size}`, async (t) => {
      const { server, page } = await opened(t, { viewport, colorScheme: theme });
      await run(page, 'SELECT origin, count(*) AS n, avg(delay) AS delay FROM flights GROUP BY 1 ORDER BY 1');
      await page.getByText('of 5').waitFor();
      await look(page, 'answer', size, theme);
      await page.getByRole('tab', { name: 'Plot' }).click();
      await page.locator('.picture svg rect[data-x]').first().waitFor();
      await look(page, 'plot', size, theme);
      for (const [name, hash, ready] of PAGES) {
        await page.goto(`${server.origin}/console/${hash}`);
        await ready(page).waitFor();
        await look(page, name, size, theme);
      }
      await page.getByRole('button', { name: /Sign out/ }).click();
      await page.getByLabel(/sign in with a token/).waitFor();
      await look(page, 'sign-in', size, theme);
    });
  }
}
