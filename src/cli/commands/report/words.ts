import { catalogue } from '../../../lib/words.ts';

/** What the command says. The report itself is read by those who mend Keyturn: in English, below. */
export const reportWords = catalogue({
  en: {
    options: { print: 'print it, and write nothing' },
    report: {
      summary: 'write a file for a bug report, without secrets, messages, names',
      operands: '[FILE]',
      more: 'Versions, the form of the config, what doctor finds, counts of the database, last lines of the log.\nDefault: keyturn-report-DAY.md, here. Nothing is sent: read it, and add what you did.',
    },
    wrote: ({ file, size }: { readonly file: string; readonly size: string }) =>
      `Written to ${file} (${size}). Nothing was sent: read it, add what you did and what happened, and attach it to your report.`,
    isThere: ({ file }: { readonly file: string }) => `${file} is there already. Name another file.`,
    notWritten: ({ file, code }: { readonly file: string; readonly code: string }) =>
      `${file} cannot be written (${code}). Name another file, or use --print.`,
  },
  zh: {
    options: { print: '打印出来，不写文件' },
    report: {
      summary: '写一份错误报告用的文件，不含密钥、消息和名字',
      operands: '[FILE]',
      more: '版本、配置的结构、doctor 的检查结果、数据库的计数和日志末尾。\n默认写入当前位置的 keyturn-report-日期.md。什么都不会发送：读一遍，再补充你做了什么。',
    },
    wrote: ({ file, size }) =>
      `已写入 ${file}（${size}）。什么都没有发送：读一遍，写上你做了什么、发生了什么，再附到报告里。`,
    isThere: ({ file }) => `${file} 已存在。指定另一个文件。`,
    notWritten: ({ file, code }) => `无法写入 ${file}（${code}）。指定另一个文件，或用 --print。`,
  },
});

/** The headings and notes of the report. */
export const reportSections = {
  title: 'Report of Keyturn',
  note: 'Without secrets, messages and names: <…> stands for what was left out, and #… for an id, the same wherever it is the same.',
  versions: 'Versions',
  config: 'Config',
  checks: 'Checks',
  process: 'Process',
  database: 'Database',
  runs: 'Newest runs',
  log: 'Last lines of the log',
  noConfig: 'No config file: default settings.',
  noJson: 'The config is no JSON, so it is not shown.',
  notRunning: 'It does not run.',
  noDatabase: 'There is no database yet.',
  noLog:
    'It does not run, or its log goes to no file: add its last lines from journalctl or docker logs yourself, without secrets.',
  failed: ({ why }: { readonly why: string }) => `This could not be read: ${why}`,
  notJson: ({ count }: { readonly count: number }) => `${count} lines that are no entries of the log were left out.`,
} as const;
