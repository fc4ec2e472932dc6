import { render } from 'preact';
import { App } from './app.tsx';
import { followLanguage } from './lib/follow-language.ts';
import { followKey } from './lib/key.ts';
import { followNotifications } from './lib/notify.ts';
import { followHistory, segments } from './lib/place.ts';
import { followSession } from './lib/session.ts';
import { followTheme } from './lib/theme.ts';
import { followTime } from './lib/time.ts';
import { viewNamed } from './views/view-list.ts';

followHistory();
followLanguage();
followTheme();
followTime();
followKey();
followSession();
followNotifications();
// Its code comes while the daemon is asked who that is. If it does not come, the place of the view says so.
void viewNamed(segments.peek()[0])
  ?.load()
  .catch(() => undefined);
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
