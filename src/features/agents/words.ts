import { catalogue } from '../../lib/words.ts';

/** What a call does, after "May I". The agent is given in markdown. */
export const agentWords = catalogue({
  en: {
    ask: ({ agent, task }: { readonly agent: string; readonly task: string }) => `ask the agent ${agent}: ${task}`,
    give: ({ agent, title, task }: { readonly agent: string; readonly title: string; readonly task: string }) =>
      `give the agent ${agent} the task "${title}": ${task}`,
  },
  zh: {
    ask: ({ agent, task }) => `让智能体 ${agent} 处理：${task}`,
    give: ({ agent, title, task }) => `把任务“${title}”交给智能体 ${agent}：${task}`,
  },
});
