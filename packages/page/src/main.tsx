import { render } from 'preact';
import { App } from './app.tsx';
import { followHistory } from './lib/place.ts';

followHistory();
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
