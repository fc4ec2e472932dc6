/** What a tool touches. Approval goes by it, whatever the tool's name or source. */
export const toolCategories = [
  'filesystem_read',
  'filesystem_write',
  'network_read',
  'network_write',
  'shell',
  'hardware',
  'memory',
  'messaging',
  'destructive',
] as const;

export type ToolCategory = (typeof toolCategories)[number];

/** Whether a call that may have run can simply run again: it changes nothing outside. */
export function isRepeatable(category: ToolCategory): boolean {
  return category === 'filesystem_read' || category === 'network_read';
}
