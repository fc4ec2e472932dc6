import { z } from 'zod';
import { approvalPolicies } from '../approval/policy.ts';
import { toolCategories } from '../tools/category.ts';
import { approver, conversation, seconds, toolPattern } from './setting-kinds.ts';

/** Who is asked about which tool calls, and for how long. */
export function approvalSettings(channelNames: readonly string[]) {
  return z.strictObject({
    enabled: z.boolean().default(true).describe('false: nothing asks but what security.taint is about.'),
    policy: z
      .enum(approvalPolicies)
      .default('require_for_dangerous')
      .describe('When to ask: never, always, for the tools in require_for, or for what is dangerous.'),
    dangerous_tools: z
      .array(toolPattern)
      .default(['shell', 'write_file', 'edit_file'])
      .describe('Tools that are dangerous: a name, "prefix*", "*suffix" or "*".'),
    dangerous_categories: z
      .array(z.enum(toolCategories))
      .default(['shell', 'filesystem_write', 'network_write', 'messaging', 'hardware', 'destructive'])
      .describe('Categories that are dangerous, whatever the tool is called.'),
    require_for: z
      .array(toolPattern)
      .default([])
      .describe('Tools that ask under the policy require_for_tools, and always in the mode autonomous.'),
    approvers: z
      .array(approver(channelNames))
      .default(['owner'])
      .describe('Who may decide: "owner" (all owners), or people as "channel:id".'),
    forward_to: z
      .array(conversation(channelNames))
      .default([])
      .describe("Where to ask if no approver is in the conversation. Empty: in the owners' own chats."),
    timeout_secs: seconds(1800).describe('A request that nobody decides in this time is denied.'),
    window_secs: seconds(900).describe('How long the button for a while allows the same tool.'),
    execute_within_secs: seconds(600).describe(
      'A call that was approved just before a restart runs only if the decision is not older; else it asks anew.',
    ),
  });
}
