/** The start of the dashboard in the browser. */

import { render } from 'preact';
import { DashboardApp } from './app.tsx';
import { enter } from './dashboard-api.ts';

await enter().catch(() => undefined);
render(<DashboardApp />, document.getElementById('app') as HTMLElement);
