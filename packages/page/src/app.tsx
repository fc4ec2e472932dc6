import { say } from './lib/language.ts';
import { session } from './lib/session.ts';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { ToastList } from './shell/toast-list.tsx';
import { shellWords } from './shell/words.ts';

/** The whole page. */
export function App() {
  return (
    <>
      <Inside />
      <ToastList />
    </>
  );
}

function Inside() {
  const now = session.value;
  const words = say(shellWords);
  switch (now.state) {
    case 'begins':
      return (
        <main>
          <h1 class="unseen">{words.begins}</h1>
        </main>
      );
    case 'out':
      return <SignIn fault={now.fault} />;
    case 'faint':
      return (
        <main class="sign-in">
          <h1>Keyturn</h1>
          <p role="status">{words.unreachable}</p>
        </main>
      );
    case 'in':
      return <Shell key={now.me.deviceId} me={now.me} />;
  }
}
