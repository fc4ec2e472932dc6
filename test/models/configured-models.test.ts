import { describe, expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type ConfiguredModel, configuredModels } from '../../src/models/configured-models.ts';
import { ModelError } from '../../src/models/language-model.ts';
import { eventsOf, failureOf, request } from './ask.ts';
import { ends, SteppingModel, says, textOf } from './stepping-model.ts';

/** A model of the config that counts how often it was opened. */
class Opened implements ConfiguredModel {
  readonly label: string;
  readonly seesImages = true;
  readonly fallback: readonly string[];
  times = 0;
  failure: ModelError | undefined;

  constructor(label: string, fallback: readonly string[] = []) {
    this.label = label;
    this.fallback = fallback;
  }

  readonly open = async (): Promise<SteppingModel> => {
    this.times += 1;
    if (this.failure !== undefined) throw this.failure;
    return new SteppingModel([[says(`I am ${this.label}.`), ends()]]);
  };
}

function setting(models: Readonly<Record<string, Opened>>, defaultName = 'main', log: Log = silentLog) {
  const chains: string[] = [];
  const configured = configuredModels({
    defaultName,
    models: new Map(Object.entries(models)),
    failover: (first, fallbacks) => {
      chains.push([first, ...fallbacks].map(({ name }) => name).join(' '));
      return first.model;
    },
    log,
  });
  const saidBy = async (name?: string): Promise<string> =>
    textOf(await eventsOf(configured.of(name), request('hello')));
  return { configured, chains, saidBy };
}

describe('the models of the config', () => {
  test('are opened when they are first asked, once', async () => {
    const [main, local] = [new Opened('main'), new Opened('local')];
    const { configured, saidBy } = setting({ main, local });
    expect([configured.names, configured.of('local').label, main.times, local.times]).toEqual([
      ['main', 'local'],
      'local',
      0,
      0,
    ]);
    expect([await saidBy('local'), await saidBy('local'), await saidBy()]).toEqual([
      'I am local.',
      'I am local.',
      'I am main.',
    ]);
    expect([main.times, local.times]).toEqual([1, 1]);
  });

  test('that cannot be opened say why to those who ask them, and are tried again', async () => {
    const main = new Opened('main');
    main.failure = new ModelError('auth', 'There is no key.');
    const { configured, saidBy } = setting({ main });
    expect((await failureOf(configured.of(undefined), request('hello'))).error).toBe(main.failure);
    main.failure = undefined;
    expect(await saidBy()).toBe('I am main.');
  });

  test('are missed once in the log when somebody has chosen one that is gone, and the default answers', async () => {
    const said: object[] = [];
    const log: Log = { ...silentLog, warn: (fields) => said.push(fields) };
    const { saidBy } = setting({ main: new Opened('main') }, 'main', log);
    expect([await saidBy('gone'), await saidBy('gone')]).toEqual(['I am main.', 'I am main.']);
    expect(said).toEqual([{ model: 'gone' }]);
  });

  test('have their fallbacks behind them, then the fallbacks of those, each once', () => {
    const { configured, chains } = setting({
      main: new Opened('main', ['a', 'b']),
      a: new Opened('a', ['c', 'b']),
      b: new Opened('b', ['c', 'gone']),
      c: new Opened('c'),
    });
    configured.of('main');
    configured.of('main');
    configured.of('b');
    configured.of('c');
    expect(chains).toEqual(['main a b c', 'b c']);
  });
});
