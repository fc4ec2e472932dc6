/* What the help of the program says of each command. */

import { catalogue } from '../../lib/words.ts';

export const commandListWords = catalogue({
  en: {
    sections: {
      see: 'See what it does',
      decide: 'Decide',
      mend: 'Check and mend',
      keep: 'Keep and move',
    },
    usageRow: ({ usage }: { readonly usage: string }) => `Usage: ${usage}`,
    commandHelp: ({ command }: { readonly command: string }) =>
      `"${command} COMMAND --help" tells more of one command.`,
    groups: { config: 'check, show and change the config', service: 'have it started with this machine, or no longer' },
    where: `The config, the data and the workspace are in the current folder, or in KEYTURN_HOME if that is set.
If Keyturn is installed globally, they are in the folder for your user's data.`,
    options: {
      config: 'the config file. Default: config.json if it exists, else default settings',
      json: 'print JSON, for programs',
      help: 'print this text',
      version: 'print the version',
      quick: 'leave out the long request and the picture',
      strict: 'do not start if the config cannot be used; exit with code 78',
      limit: 'how many, the newest first; default 20',
      days: 'how many days, the latest first; default 7',
      chat: 'only those of this conversation: telegram:123',
      person: 'only what this account has used: telegram:123',
      lines: 'how many, from the end; default 50',
      follow: 'go on with what comes, over restarts, wherever the log goes; ctrl-c ends it',
      level: 'only from this level on: error, warn, info, debug',
      lastGood: 'if the config cannot be used, start with the last one that worked',
    },

    start: { summary: 'start Keyturn' },
    status: {
      summary: 'is it up, are its channels and its model, what waits',
      more: 'Exit code: 0 if it runs, 3 if it does not.',
    },
    runs: {
      summary: 'list the newest runs: for whom, how they ended, what they used',
      more: 'Reads the database, also while Keyturn does not run.',
    },
    runsShow: {
      summary: 'tell one run from the message to the reply: model, calls, rules, who allowed what',
      operands: 'ID',
      more: 'ID: of the run, or of a call or an approval in it.',
    },
    doctorModel: {
      summary: 'probe a model: tool calls, spelling, window, pictures',
      operands: '[NAME]',
      more: `NAME: as in the config; default: its model. Costs about 4,400 tokens in and 320 out,
with --quick 800 and 250. Tells what to write into the config.
Exit code: 0, or 1 if it does not answer, or calls no tool as it was asked to.`,
    },
    configSchema: { summary: 'print the JSON Schema of the config, for editors and programs' },
    logs: {
      summary: 'print the last lines of its log, or tell where that goes',
      more: `With --follow, a log that goes to no file is followed from now on: the process tells each line.
Exit code: 0, 1 if the log goes to no file and is not followed, 3 if Keyturn does not run.`,
    },
    people: { summary: 'list owners, who was let in, and who asks to be' },
    devices: { summary: 'list the paired devices' },
    tools: { summary: 'list the tools: where each comes from, and whether and why it asks' },
    completion: {
      summary: 'print what makes bash, zsh or fish complete the commands',
      operands: 'SHELL',
      more: 'bash: echo \'eval "$(keyturn completion bash)"\' >> ~/.bashrc\nzsh:  echo \'eval "$(keyturn completion zsh)"\' >> ~/.zshrc\nfish: keyturn completion fish > ~/.config/fish/completions/keyturn.fish',
    },
    noShell: ({ shell, shells }: { readonly shell: string; readonly shells: readonly string[] }) =>
      `"${shell}" is no shell that this can complete for. There are: ${shells.join(', ')}.`,
    usage: { summary: 'tokens and money by day and model' },
    grants: { summary: 'list the saved permissions that hold' },
    approvals: {
      summary: 'list what waits for a decision, or decide it',
      more: 'Without another word, lists what waits. Whoever runs Keyturn here may decide it.',
    },
    approvalsApprove: { summary: 'let a call run that waits, once', operands: 'ID' },
    approvalsDeny: { summary: 'refuse it; the model reads the reason', operands: 'ID [REASON]' },
    configCheck: {
      summary: 'tell what is wrong or doubtful in the config, without a start',
      operands: '[FILE]',
      more: 'Exit code: 0, or 78 if the config cannot be used.',
    },
    doctor: {
      summary: 'look for what keeps it from working, and tell what mends it',
      more: 'Exit code: 0, or 1 if something is wrong.',
    },
  },
  zh: {
    sections: {
      see: '查看',
      decide: '决定',
      mend: '检查和修复',
      keep: '备份和迁移',
    },
    usageRow: ({ usage }) => `用法：${usage}`,
    commandHelp: ({ command }) => `“${command} COMMAND --help”详细说明一个命令。`,
    groups: { config: '检查、查看和修改配置', service: '让它随这台机器启动，或不再启动' },
    where: `配置、数据和工作区都在当前文件夹；设置了 KEYTURN_HOME 时，在它指定的文件夹。
全局安装的 Keyturn 把它们放在当前用户的数据文件夹。`,
    options: {
      config: '配置文件。默认用 config.json；没有就用默认设置',
      json: '输出 JSON，供程序使用',
      help: '显示这段文字',
      version: '显示版本',
      quick: '不发长请求和图片',
      strict: '配置无法使用时不启动，以退出码 78 结束',
      limit: '显示多少个，最新的在前；默认 20',
      days: '显示多少天，最近的在前；默认 7',
      chat: '只看这个会话的：telegram:123',
      person: '只看这个账号的用量：telegram:123',
      lines: '从末尾起显示多少行；默认 50',
      follow: '继续显示新的内容，重启后也继续，不论日志写到哪里；ctrl-c 结束',
      level: '只看这一级及以上：error、warn、info、debug',
      lastGood: '配置无法使用时，用上一份可用的配置启动',
    },

    start: { summary: '启动 Keyturn' },
    status: {
      summary: '是否在运行、渠道和模型是否正常、有什么在等待',
      more: '退出码：在运行为 0，没有运行为 3。',
    },
    runs: {
      summary: '列出最近的运行：为谁、怎么结束、用了多少',
      more: '读取数据库，Keyturn 没有运行时也可以。',
    },
    runsShow: {
      summary: '从消息到回复讲述一次运行：模型、调用、规则、谁批准了什么',
      operands: 'ID',
      more: 'ID：运行的编号，或其中一个调用或批准的编号。',
    },
    doctorModel: {
      summary: '检查模型：调用工具、照抄、窗口、图片',
      operands: '[NAME]',
      more: `NAME：配置中的名字；默认用配置选的模型。
大约花费输入 4,400、输出 320 个 token；加上 --quick 为 800 和 250。会说明配置里该写什么。
退出码：0；没有回答，或没有照要求调用工具时为 1。`,
    },
    configSchema: { summary: '输出配置的 JSON Schema，供编辑器和程序使用' },
    logs: {
      summary: '显示正在运行的进程的日志末尾，或说明日志写到哪里',
      more: `加上 --follow 时，不在文件里的日志从现在开始跟随：进程会告知每一行。
退出码：0；日志不在文件里又没有跟随为 1；Keyturn 没有运行为 3。`,
    },
    people: { summary: '列出所有者、已放行的人和请求加入的人' },
    devices: { summary: '列出已配对的设备' },
    tools: { summary: '列出工具：来源、是否先问、为什么问' },
    completion: {
      summary: '输出让 bash、zsh 或 fish 补全命令的脚本',
      operands: 'SHELL',
      more: 'bash: echo \'eval "$(keyturn completion bash)"\' >> ~/.bashrc\nzsh:  echo \'eval "$(keyturn completion zsh)"\' >> ~/.zshrc\nfish: keyturn completion fish > ~/.config/fish/completions/keyturn.fish',
    },
    noShell: ({ shell, shells }) => `不支持为“${shell}”补全。可以用：${shells.join('、')}。`,
    usage: { summary: '按天和模型列出 token 和费用' },
    grants: { summary: '列出有效的已存许可' },
    approvals: {
      summary: '列出或决定待批准的事项',
      more: '不带别的词时列出待决事项。在这台机器上运行 Keyturn 的用户可以决定。',
    },
    approvalsApprove: { summary: '批准一个等待中的调用，仅此一次', operands: 'ID' },
    approvalsDeny: { summary: '拒绝它；模型会读到理由', operands: 'ID [REASON]' },
    configCheck: {
      summary: '列出配置中的错误和可疑之处，不启动',
      operands: '[FILE]',
      more: '退出码：0；配置无法使用时为 78。',
    },
    doctor: {
      summary: '找出妨碍它工作的问题，并说明怎么修复',
      more: '退出码：0；有问题时为 1。',
    },
  },
});
