import { render } from 'preact';

import { App } from './app';
import { begin } from './session';

// The key of a link is used once and must not stay in the address, nor in the history of the browser.
const key = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
if (key) history.replaceState(null, '', location.pathname + '#/');

void begin(key).finally(() => render(<App />, document.getElementById('app')!));
