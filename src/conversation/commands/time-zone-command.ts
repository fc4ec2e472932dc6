import type { Origin } from '../../engine/message.ts';
import { escapeMarkdown, inlineCode } from '../../lib/plain-text.ts';
import { zonedWords } from '../../lib/time-words.ts';
import { readTimeZone, zoneFault, zoneName } from '../../lib/time-zone-names.ts';
import type { HeldZone } from '../access/time-zones.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects } from '../effects.ts';
import type { CommandGroup, GivenCommand } from './given-command.ts';

interface TimeZoneParts extends Pick<ConversationCore, 'timeZones' | 'accounts' | 'clock'> {
  readonly effects: Pick<CommandEffects, 'timeZone'>;
}

/** `/timezone`: shows which time zone holds for the person, and why; sets it, or forgets what they have set. */
export function timeZoneCommand({ timeZones, accounts, clock, effects }: TimeZoneParts): CommandGroup {
  const heldBy = ({ principal, conversation }: Origin): HeldZone => timeZones.of(principal, conversation);

  async function set({ origin, obey }: GivenCommand, timeZone: string | undefined): Promise<void> {
    const { principal } = origin;
    const obeyed = await obey(effects.timeZone(timeZone, accounts.accountsOf(principal)), () => {
      if (timeZone === undefined) return 'Forgotten. `/timezone` shows which time zone holds for you now.';
      return `Your time zone is ${zoneCode(timeZone)} now, where it is ${zonedWords(clock.now(), timeZone)}. What is planned keeps the time zone that it was planned in.`;
    });
    if (obeyed.status === 'done') timeZones.set(principal, timeZone);
  }

  return {
    takes: ({ name }) => name === 'timezone',
    help: { section: 'yours', text: '`/timezone`, `/timezone CITY`: your time zone' },
    async obey(given) {
      const { argument, origin, answer } = given;
      timeZones.learn(origin.principal, origin.timeZone);
      if (argument === '') return answer(heldWords(heldBy(origin), origin, clock.now()));
      if (/^(?:off|reset|none|default)$/i.test(argument)) return set(given, undefined);
      const reading = readTimeZone(argument);
      return reading.type === 'zone'
        ? set(given, reading.timeZone)
        : answer(escapeMarkdown(zoneFault(argument, reading)));
    },
  };
}

function heldWords({ timeZone, source }: HeldZone, { conversation }: Origin, now: number): string {
  const reasons: Readonly<Record<HeldZone['source'], string>> = {
    set: 'you have set it',
    people: 'the config says so, in `people`',
    platform: `${conversation.channel} says so`,
    chat: 'the config says so for this group',
    config: 'it is the default of this Keyturn, `tools.schedule.time_zone`',
    machine: 'it is that of the machine that I run on, and nobody has said where you are',
  };
  const change =
    source === 'set' ? '`/timezone CITY` changes it, `/timezone off` forgets it.' : '`/timezone CITY` sets yours.';
  return `Your time zone is ${zoneCode(timeZone)}: ${reasons[source]}. It is ${zonedWords(now, timeZone)} there. ${change}`;
}

function zoneCode(timeZone: string): string {
  return inlineCode(zoneName(timeZone));
}
