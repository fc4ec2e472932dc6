import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

interface Wrong {
  readonly written: string;
  readonly levels: readonly string[];
}

interface Levels {
  readonly level: string;
  readonly configured: string;
}

/** The level of the log of the running process. Plain text. */
export const logLevelWords = catalogue({
  en: {
    command: {
      summary: 'show or change how much the running process logs',
      operands: '[LEVEL]',
      more: 'LEVEL: debug, info, warn or error, until it ends or log.level is edited;\ndefault: as configured again.\nThe level debug may show texts of messages: go back when you have seen enough.',
    },
    wrongLevel: ({ written, levels }: Wrong) =>
      `"${written}" is no level. Write one of: ${levels.join(', ')}, default.`,
    asConfigured: ({ level }: Pick<Levels, 'level'>) => `It logs from the level ${level} on.`,
    chosen: ({ level, configured }: Levels) =>
      `It logs from the level ${level} on, until it ends or log.level is edited. Otherwise that is ${configured}: "${ownCommand()} log-level default".`,
  },
  zh: {
    command: {
      summary: '显示或更改运行中的进程记录多少日志',
      operands: '[LEVEL]',
      more: 'LEVEL：debug、info、warn 或 error，直到进程结束或 log.level 被修改；default：恢复为配置的级别。\ndebug 级别可能出现消息正文：看够了请改回来。',
    },
    wrongLevel: ({ written, levels }) => `“${written}”不是级别。请写以下之一：${levels.join('、')}、default。`,
    asConfigured: ({ level }) => `从 ${level} 级别开始记录。`,
    chosen: ({ level, configured }) =>
      `从 ${level} 级别开始记录，直到进程结束或 log.level 被修改。配置的是 ${configured}：用“${ownCommand()} log-level default”恢复。`,
  },
});
