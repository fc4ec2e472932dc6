import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { nearest } from '../../src/lib/nearest.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { offerCommands } from '../kit/retries.ts';
import type { SendingApi } from './api.ts';
import { commandMenus, type MenuScope } from './menus.ts';
import type { TelegramSettings } from './settings.ts';

interface AnnouncementsParts {
  readonly settings: TelegramSettings;
  readonly sending: Pick<SendingApi, 'announceCommands' | 'withdrawCommands'>;
  readonly host: ChannelHost;
  readonly background: Background;
}

/** The menus of commands: for everybody, for groups, and for each owner in their own chat with the bot. */
export interface Announcements {
  /**
   * Announces what was not announced yet, in the background: all at first, later what changes with the owners. Call it often.
   * An owner who has never written to the bot has no chat, and is tried again at times.
   */
  refresh(): void;
}

/** How long an owner without a chat is left alone, in ms. */
const chatlessFor = 600_000;
const mostOwners = 100;

interface AnnouncementsState extends AnnouncementsParts {
  readonly signal: AbortSignal;
  /** The owners who have their menu. */
  readonly known: Set<string>;
  readonly chatless: Perishable<string, true>;
  isBegun: boolean;
  isBusy: boolean;
}

export function createAnnouncements(parts: AnnouncementsParts, signal: AbortSignal): Announcements {
  const chatless = new Perishable<string, true>({ clock: parts.host.clock, most: mostOwners });
  const state: AnnouncementsState = { ...parts, signal, known: new Set(), chatless, isBegun: false, isBusy: false };
  return { refresh: () => refresh(state) };
}

function refresh(state: AnnouncementsState): void {
  const owners = (state.host.ownersHere?.() ?? []).filter((id) => /^[1-9]\d*$/.test(id)).slice(0, mostOwners);
  const added = owners.filter((id) => !state.known.has(id) && state.chatless.get(id) === undefined);
  const gone = [...state.known].filter((id) => !owners.includes(id));
  const isFirst = !state.isBegun;
  if (state.isBusy || (!isFirst && added.length === 0 && gone.length === 0)) return;
  state.isBusy = true;
  state.isBegun = true;
  state.background.run('the commands were not announced', async () => {
    try {
      if (isFirst) await announceToAll(state);
      for (const id of added) await announceTo(id, state);
      for (const id of gone) await withdrawFrom(id, state);
    } finally {
      state.isBusy = false;
    }
  });
}

async function announceToAll(state: AnnouncementsState): Promise<void> {
  noteUnknownCommands(state);
  for (const type of ['default', 'all_group_chats'] as const) await announce({ type }, state);
}

async function announce(scope: MenuScope, { settings, sending, host, signal }: AnnouncementsState): Promise<void> {
  for (const menu of commandMenus(host.commands, settings.commands, scope)) {
    const fields = { language: menu.language ?? 'all', scope: scope.type };
    await offerCommands(() => sending.announceCommands(menu), { ...host, platform: 'Telegram', signal, fields });
  }
}

async function announceTo(id: string, state: AnnouncementsState): Promise<void> {
  const { settings, sending, host, known, chatless } = state;
  const scope = chatOf(id);
  const [first] = commandMenus(host.commands, settings.commands, scope);
  try {
    if (first !== undefined) await sending.announceCommands(first);
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    host.log.debug({ owner: id, reason: error.message }, 'an owner has no menu of their own yet');
    return chatless.set(id, true, chatlessFor);
  }
  known.add(id);
  await announce(scope, state);
}

async function withdrawFrom(id: string, { settings, sending, host, known, signal }: AnnouncementsState): Promise<void> {
  known.delete(id);
  for (const { scope, language } of commandMenus(host.commands, settings.commands, chatOf(id)))
    await offerCommands(() => sending.withdrawCommands({ scope, language }), { ...host, platform: 'Telegram', signal });
}

function chatOf(id: string): MenuScope {
  return { type: 'chat', chat_id: Number(id) };
}

/** A feature may have gone with its commands, or a name is misspelt. */
function noteUnknownCommands({ settings: { commands }, host: { commands: offered, log } }: AnnouncementsState): void {
  const names = offered.map(({ name }) => name);
  const described = new Set(Object.values(commands).flatMap((descriptions) => Object.keys(descriptions)));
  for (const command of described)
    if (!names.includes(command))
      log.warn({ command, meant: nearest(command, names) }, 'channels.telegram.commands describes no command of ours');
}
