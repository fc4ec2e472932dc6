import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { unless } from '../../../src/tools/guard/workspace/workspace-error.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import type { Shown } from '../../support/platform-traffic.ts';
import { call } from '../../support/scripted-model.ts';

/** In this mode nothing asks but what no sandbox holds. */
const config = { agent: { mode: 'autonomous' }, approval: { policy: 'always_allow' } };

/** A daemon whose model writes and runs commands, and a person who undoes that. */
export class UndoSetting {
  readonly daemon: DaemonSetting;

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  /** The model makes these calls in one run; the person allows what they are asked. */
  async does(...calls: readonly (readonly [name: string, args: JsonObject])[]): Promise<void> {
    await this.doesFor({}, ...calls);
  }

  async doesFor(deed: Deed, ...calls: readonly (readonly [name: string, args: JsonObject])[]): Promise<void> {
    const { model, channel } = this.daemon;
    model.next(...calls.map(([name, args]) => [call(name, args)]), 'That is all.');
    await channel.say('go on', deed);
    await channel.whenIdle(deed.in);
    for (let card = this.#open; card !== undefined; card = this.#open) {
      await channel.press(card, deed);
      await channel.whenIdle(deed.in);
    }
  }

  get #open(): Shown | undefined {
    return this.daemon.channel.screen.find(({ kind, buttons }) => kind === 'card' && buttons.length > 0);
  }

  write(path: string, content: string): Promise<void> {
    return this.does(['write_file', { path, content }]);
  }

  run(command: string): Promise<void> {
    return this.does(['shell', { command }]);
  }

  /** The person types this. Resolves with the answer. */
  async says(text: string, deed: Deed = {}): Promise<Shown> {
    const { channel } = this.daemon;
    const before = channel.screen.length;
    await channel.say(text, deed);
    await channel.whenIdle(deed.in);
    const answer = channel.screen.slice(before).at(-1);
    if (answer === undefined) throw new Error(`nothing was answered to ${text}`);
    return answer;
  }

  /** The person presses a button, by its place. Resolves with what stands in place of the list then, or else the newest message. */
  async presses(shown: Shown, index = 0, deed: Deed = {}): Promise<Shown> {
    const { channel } = this.daemon;
    const before = channel.screen.length;
    await channel.press(shown.buttons.flat()[index]?.actionId ?? '', deed);
    await channel.whenIdle(deed.in);
    const answer = channel.screen.slice(before).at(-1) ?? channel.screen.find(({ ref }) => ref === shown.ref);
    if (answer === undefined) throw new Error('what was pressed is gone');
    return answer;
  }

  /** What is in the workspace: undefined if nothing is. */
  async content(path: string): Promise<string | undefined> {
    return unless(['ENOENT', 'ENOTDIR', 'EISDIR'], readFile(join(this.daemon.workspace, path), 'utf8'));
  }

  async mode(path: string): Promise<number> {
    return (await stat(join(this.daemon.workspace, path))).mode & 0o777;
  }
}

/** The command that a button types. */
export function lineOf({ buttons }: Shown, index = 0): string {
  const actionId = buttons.flat()[index]?.actionId ?? '';
  return `/${actionId.replace(/^(?:cmd:|lst:[a-z0-9]+:)/, '')}`;
}

export async function undoSetting(options: DaemonSettingOptions = {}): Promise<UndoSetting> {
  return new UndoSetting(await daemonSetting({ ...options, config: { ...config, ...options.config } }));
}
