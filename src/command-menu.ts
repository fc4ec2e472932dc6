/** A command as channels announce it to people. */
export interface OfferedCommand {
  readonly name: string;
  /** What it does, in a few English words. */
  readonly description: string;
  /** Its arguments, optional ones in brackets. */
  readonly words?: string;
}

/** The commands offered to people, the most used first. The core obeys them; channels only announce them. */
export const commandMenu = [
  { name: 'stop', description: 'Stop the current run in this conversation' },
  { name: 'new', description: 'Begin a clean conversation' },
  { name: 'approve', description: 'Let a waiting tool call run', words: 'ID' },
  { name: 'deny', description: 'Refuse a waiting tool call', words: 'ID [reason]' },
  { name: 'status', description: 'Show what is running and what waits' },
  { name: 'help', description: 'Explain what can be done here' },
  { name: 'model', description: 'Show or choose the model that answers here', words: '[NAME]' },
  { name: 'usage', description: 'Show what the models took today' },
  { name: 'grants', description: 'Show the saved permissions' },
  { name: 'revoke', description: 'End a saved permission', words: 'ID' },
  { name: 'pin', description: 'Keep a fact in mind in this conversation', words: 'TEXT' },
  { name: 'pins', description: 'Show the pinned facts' },
  { name: 'unpin', description: 'Take a pinned fact away', words: 'N or all' },
  { name: 'timezone', description: 'Show or set your time zone', words: '[CITY]' },
  { name: 'language', description: 'Show or set your language', words: '[en or zh]' },
  { name: 'tools', description: 'List the tools that can be used here' },
  { name: 'mcp', description: 'Show the MCP servers, and which of their tools are left out' },
  { name: 'context', description: "Show what fills the model's window" },
  { name: 'compact', description: 'Summarise the older part of this conversation' },
  {
    name: 'composed',
    description: 'Show or remove the tools that were made from instructions',
    words: '[remove NAME]',
  },
  { name: 'retry', description: 'Send again what could not be shown', words: 'ID' },
  { name: 'drop', description: 'Give up what could not be shown', words: 'ID' },
  { name: 'link', description: 'Link another account of yours', words: '[CODE]' },
  { name: 'links', description: 'Show which accounts are yours' },
  { name: 'unlink', description: 'Take an account out again', words: '[ID]' },
  { name: 'device', description: 'Pair a phone, a browser or a script', words: '[NAME]' },
  { name: 'devices', description: 'Show your devices, or end one', words: '[revoke ID]' },
  { name: 'pair', description: 'Let in somebody with a code', words: 'CODE' },
  { name: 'people', description: 'Show who may talk to me' },
  { name: 'unpair', description: 'Let somebody in no longer', words: 'ID' },
  { name: 'trust', description: 'Show or trust what others have written', words: '[ID]' },
  { name: 'distrust', description: 'Trust it no longer, or refuse it', words: 'ID' },
  { name: 'config', description: 'Show recent changes of the config' },
  { name: 'claim', description: 'Become the owner', words: 'CODE' },
] as const satisfies readonly OfferedCommand[];
