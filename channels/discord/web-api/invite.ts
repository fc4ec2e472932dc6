import { PermissionFlagsBits, RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import { ChannelError } from '../../../src/contract.ts';
import { refusalCode } from './failure.ts';

const scopes = 'bot applications.commands';

/** What the bot needs to do its work in a server. */
const permissions =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.AddReactions;

/** The address at which somebody who runs a server lets the bot in, with all that it needs. */
export function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({ client_id: applicationId, scope: scopes, permissions: String(permissions) });
  return `https://discord.com/oauth2/authorize?${query}`;
}

const permissionCodes: readonly (number | undefined)[] = [Reason.MissingAccess, Reason.MissingPermissions];

/** The error, and if the bot lacks permissions for what was tried, with the address at which the bot is given them. */
export function withInvitation(error: unknown, applicationId: string | undefined): unknown {
  if (!(error instanceof ChannelError) || applicationId === undefined) return error;
  if (!permissionCodes.includes(refusalCode(error))) return error;
  const words = `${error.message}. To give the bot all that it needs in a server, open ${inviteLink(applicationId)}`;
  return new ChannelError(error.fault, words, { cause: error.cause });
}
