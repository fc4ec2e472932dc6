import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Directory } from './directory.ts';
import type { Events } from './events.ts';
import { flag, read, timestamp } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { Rooms } from './rooms.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly directory: Directory;
  readonly events: Events;
}

type Params = Readonly<Record<string, unknown>>;

const none = z.strictObject({});
const userParameters = z.strictObject({ user: z.string(), include_locale: flag.default(false) });
const botParameters = z.strictObject({ bot: z.string().optional(), team_id: z.string().optional() });
const reactionParameters = z.strictObject({ channel: z.string(), timestamp, name: z.string() });
const reactionCodes = { channel: 'channel_not_found', timestamp: 'no_item_specified', name: 'invalid_name' };

/** The methods about who is who, and reactions. */
export class BotMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  authTest(params: Params): JsonObject {
    read(none, params);
    const {
      url,
      name: team,
      botName: user,
      teamId: team_id,
      botUserId: user_id,
      botId: bot_id,
    } = this.#dependencies.installation;
    return { url, team, user, team_id, user_id, bot_id, is_enterprise_install: false };
  }

  userInfo(params: Params): JsonObject {
    const { user, include_locale } = read(userParameters, params, { user: 'user_not_found' });
    return { user: this.#dependencies.directory.wire(user, include_locale) };
  }

  botInfo(params: Params): JsonObject {
    const { botId, botUserId, appId, botName } = this.#dependencies.installation;
    const { bot = botId } = read(botParameters, params);
    if (bot !== botId) throw new Refusal('bot_not_found');
    const icons = { image_36: '', image_48: '', image_72: '' };
    return {
      bot: {
        id: botId,
        deleted: false,
        name: botName,
        updated: 1_700_000_000,
        app_id: appId,
        user_id: botUserId,
        icons,
      },
    };
  }

  addReaction(params: Params): JsonObject {
    return this.react(params, 'reaction_added', this.#dependencies.installation.botUserId);
  }

  removeReaction(params: Params): JsonObject {
    return this.react(params, 'reaction_removed', this.#dependencies.installation.botUserId);
  }

  /** Throws a refusal where somebody's reaction is there already, or is not there. */
  react(params: Params, type: 'reaction_added' | 'reaction_removed', userId: string): JsonObject {
    const { channel, timestamp: ts, name: given } = read(reactionParameters, params, reactionCodes);
    const { rooms, events } = this.#dependencies;
    const message = rooms.writable(channel).messages.get(ts);
    if (message === undefined) throw new Refusal('message_not_found');
    const name = given.replace(/::skin-tone-[2-6]$/, '');
    if (!reactionNames.includes(name)) throw new Refusal('invalid_name');
    const users = message.reactions.find((reaction) => reaction.name === name)?.users ?? [];
    const isThere = users.includes(userId);
    if (isThere && type === 'reaction_added') throw new Refusal('already_reacted');
    if (!isThere && type === 'reaction_removed') throw new Refusal('no_reaction');
    const left = isThere ? users.filter((user) => user !== userId) : [...users, userId];
    const others = message.reactions.filter((reaction) => reaction.name !== name);
    rooms.replace({ ...message, reactions: left.length > 0 ? [...others, { name, users: left }] : others });
    events.reacted(message, type, name, userId);
    return {};
  }
}

/** Of all the names that Slack knows, the usual ones. What is not here is refused as unknown. */
const reactionNames: readonly string[] = [
  ...'+1 -1 thumbsup thumbsdown ok_hand wave clap pray raised_hands muscle point_up eyes eye brain bulb mag'.split(' '),
  ...'thinking_face hourglass hourglass_flowing_sand stopwatch alarm_clock clock1 timer_clock gear hammer'.split(' '),
  ...'wrench hammer_and_wrench construction robot_face white_check_mark heavy_check_mark ballot_box_with_check'.split(
    ' ',
  ),
  ...'x heavy_multiplication_x negative_squared_cross_mark no_entry no_entry_sign octagonal_sign warning'.split(' '),
  ...'rotating_light exclamation heavy_exclamation_mark question grey_question zap fire sparkles star tada'.split(' '),
  ...'rocket heart broken_heart 100 smile slightly_smiling_face sweat_smile joy cry sob scream sleeping zzz'.split(' '),
  ...'confused neutral_face shrug see_no_evil speech_balloon thought_balloon pencil memo writing_hand lock'.split(' '),
  ...'unlock key bell no_bell email inbox_tray outbox_tray package link pushpin round_pushpin paperclip'.split(' '),
  ...'arrows_counterclockwise repeat recycle black_square_for_stop double_vertical_bar red_circle large_blue_circle'.split(
    ' ',
  ),
  ...'large_green_circle large_yellow_circle white_circle black_circle skull ghost bug computer keyboard'.split(' '),
];
