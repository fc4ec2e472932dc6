import type { OfferedCommand } from '../../src/contract.ts';

/** Some commands, as a host offers them to channels. */
export const offeredCommands: readonly OfferedCommand[] = [
  {
    name: 'stop',
    description: 'Stop the current run',
    translations: { zh: { description: '停止正在进行的任务' } },
    seenBy: 'all',
  },
  {
    name: 'approve',
    description: 'Let a waiting tool call run',
    words: 'ID',
    translations: { zh: { description: '批准等待中的工具调用', words: '编号' } },
    seenBy: 'all',
  },
  {
    name: 'language',
    description: 'Choose the language',
    translations: { zh: { description: '选择语言' } },
    seenBy: 'all',
    isPersonal: true,
  },
  {
    name: 'people',
    description: 'Show who may talk to me',
    translations: { zh: { description: '查看谁可以和我对话' } },
    seenBy: 'owners',
  },
];
