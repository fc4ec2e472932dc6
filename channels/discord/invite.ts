import { PermissionFlagsBits } from 'discord.js';

const scopes = 'bot applications.commands';

/** What the bot needs to do its work in a server. */
const permissions =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AddReactions;

/** The address at which somebody who runs a server lets the bot in, with all that it needs. */
export function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({ client_id: applicationId, scope: scopes, permissions: String(permissions) });
  return `https://discord.com/oauth2/authorize?${query}`;
}
