/** The start of the dashboard in the browser. */

import { render } from 'preact';
import { enter } from './dashboard-api.ts';
import { App } from './app.tsx';

await enter().catch(() => undefined);
render(<App />, document.getElementById('app') as HTMLElement);
