import { useState } from 'preact/hooks';

import { ServerError } from '../common/mcp';
import type { Column } from '../common/rows';
import { client, forgetName, keptNames } from './session';
import { bytesText, durationText, Failure, grouped, Loading, Main } from './parts';
import { PlotView } from './plot_view';
import { ResultTable } from './result_table';
import { href } from './route';
import { useLoaded } from './use';

interface Kept {
  name: string;
  total: number;
  bytes: number;
  columns: Column[];
  expires_s: number;
}

// What is still there of what this tab has asked, the newest first.
async function kept(signal: AbortSignal): Promise<Kept[]> {
  const out: Kept[] = [];
  for (const name of keptNames()) {
    try {
      const rows = await client.readJsonResource(`sluice://result/${encodeURIComponent(name)}?limit=1`, { signal });
      out.push({ name, ...rows });
    } catch (error) {
      if (!(error instanceof ServerError) || error.code !== 'unknown_handle') throw error;
      forgetName(name);
    }
  }
  return out;
}

function List() {
  const results = useLoaded(kept, []);
  const all = results.value ?? [];
  return (
    <Main title="Results">
      {results.isLoading && <Loading />}
      {results.error && <Failure error={results.error} />}
      {results.value && all.length === 0 && <p>No result is kept. <a href={href('query')}>Run a query</a>.</p>}
      {all.length > 0 && (
        <div class="scroller" tabIndex={0} role="region" aria-label="Results">
          <table class="list">
            <thead><tr><th scope="col">Name</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Bytes</th><th scope="col" class="number">Columns</th><th scope="col">Kept for</th></tr></thead>
            <tbody>
              {all.map((one) => (
                <tr key={one.name}>
                  <th scope="row"><a href={href('results', one.name)}>{one.name}</a></th>
                  <td class="number">{grouped(one.total)}</td>
                  <td class="number">{bytesText(one.bytes)}</td>
                  <td class="number">{one.columns.length}</td>
                  <td>{durationText(one.expires_s)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Main>
  );
}

function One({ name }: { name: string }) {
  const [isPlot, setPlot] = useState(false);
  const rows = useLoaded((signal) => client.readJsonResource(`sluice://result/${encodeURIComponent(name)}?limit=1`, { signal }), [name]);
  const columns: Column[] | undefined = rows.value?.columns;
  return (
    <Main title={name} wide>
      <p class="actions">
        <button type="button" aria-pressed={isPlot} onClick={() => setPlot(!isPlot)} disabled={!columns}>{isPlot ? 'Table' : 'Plot'}</button>
        <a class="button" href={href('query', '', { sql: `SELECT * FROM ${name} LIMIT 1000` })}>Query</a>
      </p>
      {isPlot && columns ? <PlotView result={name} columns={columns.map((column) => column.name)} /> : <ResultTable name={name} key={name} />}
    </Main>
  );
}

export function ResultPage({ name }: { name: string }) {
  return name ? <One name={name} /> : <List />;
}
