import { catalogue } from './catalogue.ts';

/** Where something was said. */
export const placeWords = catalogue({
  en: {
    here: { device: 'this page', terminal: 'the terminal' },
    titles: { device: 'The page and devices', terminal: 'The terminal' },
    direct: 'direct chat',
    group: 'group',
    inPlace: ({ title, channel }: { readonly title: string; readonly channel: string }) => `${title} (${channel})`,
  },
  zh: {
    here: { device: '本页面', terminal: '终端' },
    titles: { device: '页面和设备', terminal: '终端' },
    direct: '私聊',
    group: '群组',
    inPlace: ({ title, channel }) => `${title}（${channel}）`,
  },
});
