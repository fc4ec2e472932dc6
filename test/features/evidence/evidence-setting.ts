import type { JsonObject } from '../../../src/lib/json.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import type { Shown } from '../../support/platform-traffic.ts';
import { call } from '../../support/scripted-model.ts';

type Call = readonly [name: string, args: JsonObject];

/** A daemon whose model calls tools, and people who ask afterwards what it did. */
export class EvidenceSetting {
  readonly daemon: DaemonSetting;

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  /** The model makes these calls, one after the other, for what the person says. Of each card, the first button is pressed, or the one with this place. */
  async does(calls: readonly Call[], { deed = {}, button = 0, said = 'go on' }: Doing = {}): Promise<void> {
    const { model, channel } = this.daemon;
    model.next(...calls.map(([name, args]) => [call(name, args)]), 'That is all.');
    await channel.say(said, deed);
    await channel.whenIdle(deed.in);
    for (let card = this.#open; card !== undefined; card = this.#open) {
      const { actionId = '' } =
        card.buttons.flat().filter(({ actionId: id }) => /:[ox]$|:[a-z]$/.test(id))[button] ?? {};
      await channel.press(actionId, { ...deed, by: 'ada' });
      await channel.whenIdle(deed.in);
    }
  }

  /** The model makes this call, and the person presses the button with this label on its card. */
  async allows([name, args]: Call, label: string): Promise<void> {
    const { model, channel } = this.daemon;
    model.next([call(name, args)], 'That is all.');
    await channel.say('go on');
    await channel.whenIdle();
    const button = this.#open?.buttons.flat().find((one) => one.label === label);
    await channel.press(button?.actionId ?? '');
    await channel.whenIdle();
  }

  get #open(): Shown | undefined {
    return this.daemon.channel.screen.find(({ kind, buttons }) => kind === 'card' && buttons.length > 0);
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

  /** The person presses the button with this label. Resolves with what stands there then. */
  async presses(shown: Shown, label: string): Promise<Shown> {
    const { channel } = this.daemon;
    const button = shown.buttons.flat().find((one) => one.label === label);
    await channel.press(button?.actionId ?? '');
    await channel.whenIdle();
    const answer = channel.screen.find(({ ref }) => ref === shown.ref);
    if (answer === undefined) throw new Error('what was pressed is gone');
    return answer;
  }
}

interface Doing {
  readonly deed?: Deed;
  readonly button?: number;
  readonly said?: string;
}

export async function evidenceSetting(options: DaemonSettingOptions = {}): Promise<EvidenceSetting> {
  return new EvidenceSetting(await daemonSetting(options));
}
