import { useState } from 'preact/hooks';

import { client } from './session';
import { CostNote, Failure, Loading, Main } from './parts';
import { TableList } from './overview';
import { href } from './route';
import { useLoaded, useSettled } from './use';

function Catalog() {
  const [match, setMatch] = useState('');
  const settled = useSettled(match, 250);
  const tables = useLoaded((signal) => client.callTool('catalog', settled ? { match: settled, max_tokens: 4000 } : { max_tokens: 4000 }, { signal }), [settled]);
  return (
    <Main title="Data">
      <div class="line">
        <label for="match">Search names, columns and values</label>
        <input id="match" type="search" value={match} onInput={(event) => setMatch((event.target as HTMLInputElement).value)} />
      </div>
      {tables.error && <Failure error={tables.error} />}
      {tables.isLoading && !tables.value && <Loading />}
      {tables.value && <TableList text={tables.value.content[0].text} />}
      <CostNote cost={tables.cost} />
    </Main>
  );
}

interface ColumnLine {
  name: string;
  about: string;
}

// The lines of the tool `describe`: NAME ROWS, then a line for each column, and remarks.
function columnLines(text: string): { head: string[]; columns: ColumnLine[] } {
  const head: string[] = [];
  const columns: ColumnLine[] = [];
  text.split('\n').forEach((line, at) => {
    const found = /^("(?:[^"]|"")+"|[^\s#]\S*)(?: (.*))?$/.exec(line.trim());
    if (at > 0 && found && !/ → /.test(line)) columns.push({ name: found[1], about: found[2] ?? '' });
    else if (line.trim()) head.push(line.replace(/^# ?/, ''));
  });
  return { head, columns };
}

function Table({ name }: { name: string }) {
  const plain = name.replace(/^"|"$/g, '').replace(/""/g, '"');
  const described = useLoaded((signal) => client.callTool('describe', { datasets: [plain], max_tokens: 6000 }, { signal }), [name]);
  const text = described.value?.content[0].text ?? '';
  const { head, columns } = columnLines(text);
  return (
    <Main title={plain}>
      <p class="actions">
        <a class="button" href={href('query', '', { sql: `SELECT * FROM ${name} LIMIT 1000` })}>First rows</a>
        <a class="button" href={href('query', '', { sql: `SELECT count(*) AS rows FROM ${name}` })}>Query</a>
      </p>
      {described.isLoading && <Loading />}
      {described.error && <Failure error={described.error} />}
      {head.map((line) => <p key={line} class="note">{line}</p>)}
      {columns.length > 0 && (
        <div class="scroller" tabIndex={0} role="region" aria-label="Columns">
          <table class="list">
            <thead><tr><th scope="col">Column</th><th scope="col">Type, values and pitfalls</th></tr></thead>
            <tbody>{columns.map((column) => <tr key={column.name}><th scope="row">{column.name}</th><td>{column.about}</td></tr>)}</tbody>
          </table>
        </div>
      )}
      <CostNote cost={described.cost} />
    </Main>
  );
}

export function DataPage({ name }: { name: string }) {
  return name ? <Table name={name} /> : <Catalog />;
}
