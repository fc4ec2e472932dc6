import { catalogue } from '../../lib/words.ts';

/** The names of tools on cards, and what a call does, after "May I". The agent is given in markdown. */
export const agentWords = catalogue({
  en: {
    names: { delegate: 'Delegate', new_task: 'New task' },
    ask: ({ agent, task }: { readonly agent: string; readonly task: string }) => `ask the agent ${agent}: ${task}`,
    give: ({ agent, title, task }: { readonly agent: string; readonly title: string; readonly task: string }) =>
      `give the agent ${agent} the task "${title}": ${task}`,
  },
  zh: {
    names: { delegate: '委派', new_task: '新任务' },
    ask: ({ agent, task }) => `让智能体 ${agent} 处理：${task}`,
    give: ({ agent, title, task }) => `把任务“${title}”交给智能体 ${agent}：${task}`,
  },
});
