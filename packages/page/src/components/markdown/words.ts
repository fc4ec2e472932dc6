import { catalogue } from '../../lib/catalogue.ts';

/** What stands beside a text's own words. */
export const markdownWords = catalogue({
  en: {
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Not copied',
    code: 'Code',
    table: 'Table',
    formula: 'Formula',
    done: 'Done',
    notDone: 'Not done',
    picture: (name: string) => (name === '' ? 'Picture' : `Picture: ${name}`),
    leadsTo: (place: string) => `leads to ${place}`,
  },
  zh: {
    copy: '复制',
    copied: '已复制',
    notCopied: '未能复制',
    code: '代码',
    table: '表格',
    formula: '公式',
    done: '已完成',
    notDone: '未完成',
    picture: (name) => (name === '' ? '图片' : `图片：${name}`),
    leadsTo: (place) => `指向 ${place}`,
  },
});
