import { useEffect, useRef, useState } from 'preact/hooks';

import { textOf, tokensOf, type Cost, type Progress, type Result } from '../common/mcp';
import { client, keepName } from './session';
import { CostNote, Failure, grouped, Main } from './parts';
import { PlotView } from './plot_view';
import { ResultTable } from './result_table';
import { href, type Route } from './route';
import { tableLines } from './overview';
import { report, useLoaded } from './use';

const HISTORY = 'sluice.history';
const HISTORY_MAX = 100;

function history(): string[] {
  try {
    return JSON.parse(localStorage.getItem(HISTORY) ?? '[]');
  } catch {
    return [];
  }
}
function remember(sql: string): void {
  const all = [sql, ...history().filter((one) => one !== sql)].slice(0, HISTORY_MAX);
  localStorage.setItem(HISTORY, JSON.stringify(all));
}

// A name that no dataset and no other tab has.
function resultName(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `c_${digits}`;
}

interface Ran {
  sql: string;
  name: string;
  columns: string[];
  rows: number;
  answer: string;  // As an agent gets it.
  cost: Cost;
}

type View = 'table' | 'plot' | 'agent' | 'call';

function shellQuoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

export function QueryPage({ route }: { route: Route }) {
  const [sql, setSql] = useState(route.query.get('sql') ?? history()[0] ?? '');
  const [ran, setRan] = useState<Ran>();
  const [view, setView] = useState<View>('table');
  const [error, setError] = useState<Error>();
  const [running, setRunning] = useState<AbortController>();
  const [progress, setProgress] = useState<Progress>();
  const [seconds, setSeconds] = useState(0);
  const editor = useRef<HTMLTextAreaElement>(null);
  const tables = useLoaded((signal) => client.callTool('catalog', { max_tokens: 3000 }, { signal }), []);
  useEffect(() => {
    if (!running) return undefined;
    const begin = performance.now();
    setSeconds(0);
    const timer = setInterval(() => setSeconds((performance.now() - begin) / 1_000), 200);
    return () => clearInterval(timer);
  }, [running]);

  const run = async () => {
    const text = sql.trim();
    if (!text || running) return;
    const controller = new AbortController();
    setRunning(controller);
    setError(undefined);
    setProgress(undefined);
    globalThis.history.replaceState(null, '', href('query', '', { sql: text }));
    try {
      const result: Result = await client.callTool('query', { sql: text, name: resultName(), confirm: true },
        { signal: controller.signal, onProgress: setProgress });
      const status = result._meta?.['sluice/result'] ?? {};
      remember(text);
      if (status.name) keepName(status.name);
      setRan({ sql: text, name: status.name ?? '', columns: status.columns ?? [], rows: status.rows ?? 0, answer: textOf(result), cost: { ...client.lastCost } });
    } catch (failure) {
      if (!controller.signal.aborted) {
        report(failure as Error);
        setError(failure as Error);
      }
    } finally {
      setRunning(undefined);
    }
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void run();
    }
    if (event.key === 'Escape' && running) running.abort();
  };
  const insert = (text: string) => {
    const box = editor.current!;
    const at = box.selectionStart ?? sql.length;
    setSql(sql.slice(0, at) + text + sql.slice(box.selectionEnd ?? at));
    box.focus();
  };

  const call = ran && JSON.stringify({ method: 'tools/call', params: { name: 'query', arguments: { sql: ran.sql } } }, null, 2);
  const views: [View, string][] = ran ? [['table', 'Table'], ['plot', 'Plot'], ['agent', `As the agent reads it (${grouped(tokensOf(ran.answer))} tokens)`], ['call', 'Call']] : [];
  return (
    <Main title="Query" wide>
      <div class="query">
        <div class="editor">
          <label for="sql">SELECT statement over the tables and earlier results</label>
          <textarea id="sql" ref={editor} rows={7} spellcheck={false} autocapitalize="off" value={sql}
            onInput={(event) => setSql((event.target as HTMLTextAreaElement).value)} onKeyDown={keyed} />
          <div class="line">
            <button type="button" class="main" onClick={run} disabled={!!running || !sql.trim()}>Run</button>
            <button type="button" onClick={() => running?.abort()} disabled={!running}>Cancel</button>
            <span class="note">Ctrl+Enter runs, Escape cancels</span>
            <span class="space" />
            {history().length > 0 && (
              <label>Earlier <select class="earlier" value="" onChange={(event) => setSql((event.target as HTMLSelectElement).value)}>
                <option value="">{history().length} {history().length === 1 ? 'statement' : 'statements'}</option>
                {history().map((one) => <option key={one} value={one}>{one.slice(0, 80)}</option>)}
              </select></label>
            )}
          </div>
          <div role="status" aria-live="polite">
            {running && <p class="line"><progress max={progress?.total ?? 100} value={progress?.progress} aria-label="Progress" /> {seconds.toFixed(1)} s {progress?.message ?? ''}</p>}
          </div>
        </div>
        <details class="names" open={matchMedia('(min-width: 60rem)').matches}>
          <summary>Tables</summary>
          <ul>
            {tableLines(tables.value?.content?.[0]?.text ?? '').tables.map((table) => (
              <li key={table.name}>
                <button type="button" class="plain" title={table.about} onClick={() => insert(table.name)}>{table.name}</button>
              </li>
            ))}
          </ul>
        </details>
      </div>
      {error && <Failure error={error} />}
      {ran && (
        <section aria-label="Answer">
          <div class="tabs" role="tablist" aria-label="Views of the answer">
            {views.map(([key, title]) => (
              <button key={key} type="button" role="tab" id={`tab-${key}`} aria-selected={view === key} aria-controls="view" tabIndex={view === key ? 0 : -1} onClick={() => setView(key)}
                onKeyDown={(event) => {
                  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
                  if (!step) return;
                  const at = (views.findIndex(([one]) => one === view) + step + views.length) % views.length;
                  setView(views[at][0]);
                  document.getElementById(`tab-${views[at][0]}`)?.focus();
                }}>{title}</button>
            ))}
          </div>
          <div id="view" role="tabpanel" aria-labelledby={`tab-${view}`}>
            {view === 'table' && (ran.name ? <ResultTable name={ran.name} key={ran.name} /> : <pre tabIndex={0}>{ran.answer}</pre>)}
            {view === 'plot' && (ran.name ? <PlotView result={ran.name} columns={ran.columns} key={ran.name} /> : <p>There is nothing to draw.</p>)}
            {view === 'agent' && <pre tabIndex={0}>{ran.answer}</pre>}
            {view === 'call' && <><pre tabIndex={0}>{call}</pre><pre tabIndex={0}>sluice query TARGET {shellQuoted(ran.sql)}</pre></>}
          </div>
          <CostNote cost={ran.cost} tokens={tokensOf(ran.answer)} />
        </section>
      )}
    </Main>
  );
}
