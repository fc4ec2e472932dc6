/** What Telegram offers a person who types "/". The core obeys these commands; here they are only announced. */
export const botCommands = [
  { command: 'approve', description: 'Let a waiting tool call run: /approve ID' },
  { command: 'deny', description: 'Refuse a waiting tool call: /deny ID [reason]' },
  { command: 'grants', description: 'Show the standing permissions' },
  { command: 'revoke', description: 'End a standing permission: /revoke ID' },
  { command: 'stop', description: 'Stop what is being done in this conversation' },
  { command: 'new', description: 'Begin a clean conversation' },
  { command: 'status', description: 'Show what is running and what waits' },
  { command: 'tools', description: 'List the tools that can be used here' },
  { command: 'help', description: 'Explain what can be done here' },
] as const;
