import { catalogue } from '../lib/language.ts';

export type ViewName = 'chat' | 'waiting' | 'activity' | 'tools' | 'people' | 'settings';

/** What the views are called. */
export const viewWords = catalogue({
  en: {
    chat: 'Chat',
    waiting: 'Waiting',
    activity: 'Activity',
    tools: 'Tools',
    people: 'People',
    settings: 'Settings',
  },
  zh: { chat: '聊天', waiting: '待处理', activity: '活动', tools: '工具', people: '人员', settings: '设置' },
});
