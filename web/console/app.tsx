import { useEffect, useState } from 'preact/hooks';

import { DataPage } from './data_page';
import { Overview } from './overview';
import { QueryPage } from './query_page';
import { ResultPage } from './result_page';
import { ToolsPage } from './tools_page';
import { href, useRoute, type Route } from './route';
import { principal, signInFailure, signOut, token, useToken } from './session';

const PAGES: [string, string][] = [['', 'Overview'], ['data', 'Data'], ['query', 'Query'], ['results', 'Results'], ['tools', 'Tools']];
const THEME = 'sluice.theme';

function applyTheme(theme: string | null): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
applyTheme(localStorage.getItem(THEME));

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case '': return <Overview />;
    case 'data': return <DataPage name={route.name} />;
    case 'query': return <QueryPage route={route} />;
    case 'results': return <ResultPage name={route.name} />;
    case 'tools': return <ToolsPage name={route.name} />;
    default: return <main id="main"><h1>There is no such page</h1><p><a href="#/">Overview</a></p></main>;
  }
}

function SignIn({ onDone }: { onDone: () => void }) {
  const [failure, setFailure] = useState(signInFailure());
  const [text, setText] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await useToken(text.trim())) onDone();
    else setFailure('The server does not accept this token.');
  };
  return (
    <main id="main" class="sign-in">
      <h1>Sluice</h1>
      {failure && <p class="error" role="alert">{failure}</p>}
      <p>Open the console of a server on this machine with <code>sluice ui PORT</code>, or of a folder with <code>sluice ui FOLDER</code>. Each prints or opens a link that works once.</p>
      <form onSubmit={submit}>
        <label for="token">Or sign in with a token of the server</label>
        <input id="token" type="password" autocomplete="off" value={text} onInput={(event) => setText((event.target as HTMLInputElement).value)} />
        <button type="submit">Sign in</button>
      </form>
    </main>
  );
}

export function App() {
  const route = useRoute();
  const [isSignedIn, setSignedIn] = useState(token() !== null);
  const [, setTheme] = useState(0);
  useEffect(() => {
    const title = PAGES.find(([page]) => page === route.page)?.[1] ?? 'Sluice';
    document.title = (route.name ? `${route.name} – ` : '') + `${title} – Sluice`;
  }, [route.page, route.name]);
  useEffect(() => {
    const ended = () => setSignedIn(false);
    addEventListener('sluice-signed-out', ended);
    return () => removeEventListener('sluice-signed-out', ended);
  }, []);
  if (!isSignedIn) return <SignIn onDone={() => setSignedIn(true)} />;
  const leave = async () => {
    await signOut();
    setSignedIn(false);
  };
  const turn = () => {
    const next = isDark() ? 'light' : 'dark';
    localStorage.setItem(THEME, next);
    applyTheme(next);
    setTheme((count) => count + 1);
    dispatchEvent(new Event('sluice-theme'));
  };
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to content</a>
      <header>
        <strong>Sluice</strong>
        <nav aria-label="Pages">
          {PAGES.map(([page, title]) => <a key={page} href={href(page)} aria-current={route.page === page ? 'page' : undefined}>{title}</a>)}
        </nav>
        <span class="space" />
        <button type="button" class="plain" onClick={turn} aria-label={isDark() ? 'Use light colours' : 'Use dark colours'}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" /><path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" /></svg>
        </button>
        <button type="button" class="plain" onClick={leave}>Sign out{principal() ? ` ${principal()}` : ''}</button>
      </header>
      <Page route={route} />
    </>
  );
}
