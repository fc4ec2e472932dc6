import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Language } from '../../src/lib/words.ts';
import { modelEnvironment, variable } from '../../test/e2e/daemon-config.ts';
import { type OnTerminal, startOnTerminal } from '../../test/e2e/on-terminal.ts';
import { ModelServer } from '../../test/support/model-server.ts';
import { waitUntil } from '../../test/support/wait-for.ts';
import type { Shot, Stage } from './card-scenes.ts';
import { webOf, withHurry } from './chat-stage.ts';
import { StyledScreen } from './terminal-page.ts';

const columns = 80;
/** Nothing more is written: so many looks at it found the same. */
const quietLooks = 15;
/** Characters that the error of a wait in vain shows. */
const tail = 2_500;

/** A pseudo-terminal, and where the scene begins: so many characters were written before. */
interface Seat {
  readonly terminal: OnTerminal;
  begun: number;
}

/** At a pseudo-terminal, where there is nobody else. */
export async function terminalStage(language: Language): Promise<Stage> {
  const [web, model] = await Promise.all([webOf(language), ModelServer.start()]);
  const folder = await mkdtemp(join(tmpdir(), 'keyturn-seat-'));
  const [configFile, workspace] = [join(folder, 'config.json'), join(folder, 'workspace')];
  await mkdir(workspace, { mode: 0o700 });
  const api_key = variable('TEST_MODEL_KEY');
  const models = { main: { provider: 'openai_compatible', name: 'test', base_url: model.url, api_key } };
  await writeFile(configFile, JSON.stringify({ ...web.config, model: 'main', models }));
  const terminal = startOnTerminal({ folder, columns, env: modelEnvironment });
  await terminal.wrote('›');
  const seat: Seat = { terminal, begun: 0 };

  return {
    platform: 'terminal',
    model,
    workspace,
    team: undefined,
    ask: (text) => play(`${text}\r`, /\[[\w#]+(?: ⏎)?\]|\/undo \w+ keep/, seat),
    answer: ({ keys, outcome }) => play(keys, new RegExp(`${outcome}[^]*›`), seat),
    unfold: () => play('d', /\/approve/, seat),
    meetStranger: undefined,
    joinGroup: undefined,

    async hurry() {
      await quiet(seat);
      await writeFile(configFile, JSON.stringify(withHurry(await readFile(configFile, 'utf8'))));
      await waitUntil(() => terminal.written().includes('timeout_secs'));
    },

    expired: () => play('', /⌛/, seat),

    async [Symbol.asyncDispose]() {
      terminal.type('\u0003\u0003\u0004');
      await terminal.ended();
      await Promise.all([model.close(), web.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

/** Types these keys. Gives what is shown from then on, once that was written and no more is. */
async function play(keys: string, wanted: RegExp, seat: Seat): Promise<Shot> {
  const { terminal } = seat;
  await quiet(seat);
  seat.begun = terminal.written().length;
  terminal.type(keys);
  await waitUntil(() => wanted.test(terminal.written().slice(seat.begun)), {
    what: `${wanted} on the terminal`,
    describe: () => terminal.written().slice(-tail),
  });
  await quiet(seat);
  const screen = new StyledScreen(columns);
  screen.write(terminal.written().slice(0, seat.begun));
  const from = screen.row;
  screen.write(terminal.written().slice(seat.begun));
  return { html: screen.html(from), text: screen.text(from) };
}

async function quiet({ terminal }: Seat): Promise<void> {
  let [length, looks] = [-1, 0];
  await waitUntil(() => {
    const now = terminal.written().length;
    [looks, length] = [now === length ? looks + 1 : 0, now];
    return looks >= quietLooks;
  });
}
