import { render } from 'preact';
import { App } from './app.tsx';
import { followKey } from './lib/key.ts';
import { followLanguage } from './lib/language.ts';
import { followNotifications } from './lib/notify.ts';
import { followHistory } from './lib/place.ts';
import { followSession } from './lib/session.ts';
import { followTheme } from './lib/theme.ts';
import { followTime } from './lib/time.ts';

followHistory();
followLanguage();
followTheme();
followTime();
followKey();
followSession();
followNotifications();
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
