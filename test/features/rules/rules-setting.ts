import { cardWords } from '../../../src/approval/asking/words.ts';
import { rulesWords } from '../../../src/features/rules/words.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import type { Shown } from '../../support/platform-traffic.ts';
import { call } from '../../support/scripted-model.ts';

/** A daemon whose model writes files, and the people who are asked. */
export class RulesSetting {
  readonly daemon: DaemonSetting;

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  /** The model writes this file because somebody asked. Resolves with the card; undefined if nobody is asked. */
  async wantsToWrite(path: string, deed: Deed = {}): Promise<Shown | undefined> {
    return this.wants('write_file', { path, content: path }, deed);
  }

  async wants(name: string, args: Parameters<typeof call>[1], deed: Deed = {}): Promise<Shown | undefined> {
    const { model, channel } = this.daemon;
    model.next([call(name, args)], 'That is all.');
    await channel.say('go on', deed);
    await channel.whenIdle(deed.in);
    return this.open;
  }

  /** The open card. */
  get open(): Shown | undefined {
    const { screen } = this.daemon.channel;
    return screen.find(({ kind, buttons }) => kind === 'card' && buttons.length > 0);
  }

  /** These files are written, each with the owner's approval. */
  async allows(paths: readonly string[], deed: Deed = {}): Promise<void> {
    for (const path of paths) {
      const card = await this.wantsToWrite(path, deed);
      await this.presses(card, cardWords.en.buttonApprove, { ...deed, by: 'ada' });
    }
  }

  /** Presses a button by its label. Resolves with what the person alone is told. */
  async presses(shown: Shown | undefined, label: string, deed: Deed = {}): Promise<string | undefined> {
    const button = shown?.buttons.flat().find((one) => one.label === label);
    if (button === undefined) throw new Error(`there is no button ${label}`);
    return this.does(button.actionId, deed);
  }

  async does(actionId: string, deed: Deed = {}): Promise<string | undefined> {
    const { channel } = this.daemon;
    const receipt = await channel.press(actionId, { by: 'ada', ...deed });
    await channel.whenIdle(deed.in);
    return typeof receipt === 'object' ? receipt.notice : undefined;
  }

  /** Presses what the card offers. Resolves with the question that then stands there. */
  async asksAbout(card: Shown | undefined, deed: Deed = {}): Promise<Shown> {
    const offer = offerOn(card);
    if (offer === undefined) throw new Error('the card offers no rule');
    await this.does(offer, deed);
    return this.last();
  }

  /** What was said last. */
  last(): Shown {
    const shown = this.daemon.channel.screen.at(-1);
    if (shown === undefined) throw new Error('nothing was said');
    return shown;
  }

  /** The same message as it is now. */
  now({ ref }: Shown): Shown | undefined {
    return this.daemon.channel.screen.find((shown) => shown.ref === ref);
  }

  async says(text: string, deed: Deed = {}): Promise<Shown> {
    const { channel } = this.daemon;
    await channel.say(text, deed);
    await channel.whenIdle(deed.in);
    return this.last();
  }

  grants(): readonly Readonly<Record<string, unknown>>[] {
    return this.daemon.rows('SELECT * FROM grants WHERE revoked_at IS NULL');
  }
}

/** The action of the button that offers a rule. */
export function offerOn(card: Shown | undefined): string | undefined {
  return card?.buttons.flat().find(({ actionId }) => /^ap:.*:p$/.test(actionId))?.actionId;
}

/** What a question says of so many questions, without since when and of what. */
export function savedWords(saved: number): string {
  const reader = { timeZone: 'UTC', isNamed: true, language: 'en' } as const;
  const all = rulesWords.en.figures({ saved, since: 0, examples: [], more: 0, reader });
  return all.slice(all.indexOf(',') + 2, all.lastIndexOf(':'));
}

/** `notes/1.md` and so on. */
export function notes(count: number, from = 1): readonly string[] {
  return Array.from({ length: count }, (_, index) => `notes/${from + index}.md`);
}

export async function rulesSetting(options: DaemonSettingOptions = {}): Promise<RulesSetting> {
  return new RulesSetting(await daemonSetting(options));
}
