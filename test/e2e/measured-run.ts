import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { TelegramSetting } from './telegram-setting.ts';

/** How much of the code was executed. What a module does when it is loaded does not count. */
export interface Executed {
  /** The paths of the files, from the root of the project. */
  readonly paths: readonly string[];
  /** Named functions and methods. */
  readonly functions: number;
}

/**
 * What the real process executes, between a Telegram and a model over HTTP, for one word and its answer, and for one command
 * of the shell with its card, its press and the answer after it. Both are the first of their process. Read off V8's counts.
 */
export async function measureRuns(
  root: string,
): Promise<{ readonly hello: Executed; readonly approvedCall: Executed }> {
  await using setting = await TelegramSetting.start({ env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
  const { telegram, model, daemon } = setting;
  model
    .onUser('hello', 'Hello to you.')
    .onUser('run it', { calls: [{ name: 'shell', arguments: { command: 'echo ran' } }] })
    .onResult('ran', 'It ran.');
  using profiler = await Profiler.attach(inspectorOf(daemon.output));
  const chat = setting.newOwner();

  await profiler.take();
  telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, 'Hello to you.');
  const hello = executed(await profiler.take(), root);

  const card = await setting.askFor(chat, 'run it');
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'It ran.');
  const approvedCall = executed(await profiler.take(), root);
  return { hello, approvedCall };
}

function inspectorOf(output: string): string {
  const address = /ws:\/\/\S+/.exec(output)?.[0];
  if (address === undefined) throw new Error(`The process does not say where its inspector listens:\n${output}`);
  return address;
}

function executed(scripts: Coverage, root: string): Executed {
  const own = scripts.filter(({ url }) =>
    ['src', 'channels'].some((folder) => url.startsWith(pathToFileURL(join(root, folder)).href)),
  );
  const run = own.flatMap(({ url, functions }) => {
    const { length } = functions.filter(
      ({ functionName, ranges: [whole] }) => functionName !== '' && whole !== undefined && whole.count > 0,
    );
    return length === 0 ? [] : [{ path: relative(root, fileURLToPath(url)), functions: length }];
  });
  return {
    paths: run.map(({ path }) => path),
    functions: run.reduce((sum, { functions }) => sum + functions, 0),
  };
}

const coverageSchema = z.array(
  z.object({
    url: z.string(),
    functions: z.array(z.object({ functionName: z.string(), ranges: z.array(z.object({ count: z.number() })) })),
  }),
);
type Coverage = z.output<typeof coverageSchema>;

/** Counts what a process executes, by Chrome's DevTools Protocol. */
class Profiler implements Disposable {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  #requests = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = z.object({ id: z.number(), result: z.unknown() }).parse(JSON.parse(String(data)));
      this.#answers.get(id)?.(result);
      this.#answers.delete(id);
    });
  }

  static async attach(address: string): Promise<Profiler> {
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    const profiler = new Profiler(socket);
    await profiler.#ask('Profiler.enable');
    await profiler.#ask('Profiler.startPreciseCoverage', { callCount: true });
    return profiler;
  }

  /** What was executed since it was asked last. */
  async take(): Promise<Coverage> {
    return z.object({ result: coverageSchema }).parse(await this.#ask('Profiler.takePreciseCoverage')).result;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #ask(method: string, params = {}): Promise<unknown> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
