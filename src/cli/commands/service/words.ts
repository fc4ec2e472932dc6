import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

interface File {
  readonly file: string;
}

interface Fault {
  readonly fault: string;
}

interface Command {
  readonly command: string;
}

interface Folder {
  readonly folder: string;
}

/** Commands that have Keyturn started by the machine. Paths and commands are plain text. */
export const serviceWords = catalogue({
  en: {
    options: {
      print: 'print the file of the service, and install nothing',
      force: 'replace a file that differs, without asking',
      linger: 'let it also run while you are not logged in',
      asRoot: 'let root have it, on a machine that has no other user',
    },
    install: {
      summary: 'start Keyturn with this machine, and again if it crashes',
      more: 'On Linux it is a service of your user in systemd, on macOS an agent of launchd. No rights of root.\nIt runs the config that this command reads: name another with --config FILE.',
    },
    status: {
      summary: 'whether the service is installed and runs, and how it ended last',
      more: 'Exit code: 0 if it runs, 3 if not.',
    },
    remove: {
      summary: 'end the service, and have it not started again',
      more: 'Config, data and files stay.',
    },
    isTemporary: ({ folder }: Folder) =>
      `npx has put Keyturn into ${folder}, which it may remove at any time. Install it to stay: npm install -g keyturn`,
    lacksConfig: ({ file }: File) =>
      `There is no config ${file}. Write one with a channel first: ${ownCommand()} setup. Or name it with --config FILE.`,
    oddPath: ({ path }: { readonly path: string }) =>
      `${JSON.stringify(path)} cannot stand in the file of a service: rename the folder, without control characters, and without a backslash or a blank at its end.`,
    isRoot:
      'You are root. Keyturn should have a user of its own: log in as that user and give this command again, or take contrib/keyturn.service, as docs/deploy.md describes. If this machine has no other user: --as-root',
    noManager:
      'This machine has neither systemd nor launchd. Use docker compose, or have your own supervisor start "keyturn": docs/deploy.md. Exit code 78 says that the config is wrong, and that a restart does not help.',
    noUserManager: ({ fault }: Fault) =>
      `systemd does not manage services of this user here: ${fault}. Log in as this user itself (ssh, or machinectl shell USER@), not by su or sudo. In a container there is mostly no systemd: docs/deploy.md tells what to do there.`,
    differs: ({ file }: File) => `${file} is there, and would change:`,
    replaceIt: 'Replace it?',
    addForce: 'Nothing was changed. To replace it, add --force.',
    outsideRuns: ({ folder }: Folder) =>
      `A Keyturn that is not the service works with ${folder}. End it first, then give this command again.`,
    ofTerminal: ({ names, file }: { readonly names: readonly string[]; readonly file: string }) =>
      `Only this terminal has ${names.join(', ')}: a service starts without. Write them into ${file}, as NAME=value, then restart it.`,
    installed: ({ file }: File) => `Installed, and it runs: ${file}`,
    notWritable: ({ file, reason }: File & { readonly reason: string }) =>
      `${file} could not be written: ${reason}. It is as it was.`,
    changedMeanwhile: ({ file }: File) => `${file} was changed meanwhile, and is left so. Give the command again.`,
    notStarted: ({ fault, command }: Fault & Command) =>
      `The file is written, but the service did not start: ${fault}\nWhy: ${command}`,
    where: ({ command }: Command) => `Its log: ${command}`,
    lingers: 'It also runs while you are not logged in.',
    lingerNow: 'Let it also run while you are not logged in?',
    lingerLater: ({ command }: Command) =>
      `It ends when you log out, and starts when you log in. To have it run always: ${command}`,
    lingerFailed: ({ fault, command }: Fault & Command) =>
      `That it runs while you are not logged in could not be set: ${fault}. Try: sudo ${command}`,
    notInstalled: ({ file }: File) =>
      `Not installed: there is no ${file}. To install it: ${ownCommand()} service install`,
    removed: ({ file }: File) => `Ended and removed: ${file}. Config, data and files are where they were.`,
    notRemoved: ({ fault }: Fault) => `It could not be ended: ${fault}`,
    labels: {
      service: 'Service',
      state: 'State',
      starts: 'Starts',
      since: 'Since',
      lastExit: 'Last end',
      restarts: 'Restarts',
      log: 'Log',
      note: 'Note',
    },
    startsItself: 'by itself',
    startsNot: `not by itself: ${ownCommand()} service install`,
    isOutdated: `The file differs from what this version, at this place, would write. To see how, and to renew it: ${ownCommand()} service install`,
    pathGone: ({ path }: { readonly path: string }) =>
      `It would start ${path}, which is gone: the folder was moved, or Node was removed. To renew it: ${ownCommand()} service install`,
  },
  zh: {
    options: {
      print: '只打印服务文件，不安装',
      force: '直接替换不同的文件，不再询问',
      linger: '没有登录时也继续运行',
      asRoot: '让 root 拥有这个服务，用于没有其他用户的机器',
    },
    install: {
      summary: '让 Keyturn 随机器启动，崩溃后重新启动',
      more: '在 Linux 上是 systemd 中你的用户的服务，在 macOS 上是 launchd 的代理。不需要 root 权限。\n它使用这个命令读到的配置：用 --config FILE 指定另一个。',
    },
    status: {
      summary: '服务是否已安装、是否在运行、上次怎样结束',
      more: '退出码：在运行为 0，否则为 3。',
    },
    remove: {
      summary: '结束服务，不再自动启动',
      more: '配置、数据和文件都会留下。',
    },
    isTemporary: ({ folder }) => `npx 把 Keyturn 放在 ${folder}，随时可能删除它。请正式安装：npm install -g keyturn`,
    lacksConfig: ({ file }) =>
      `没有配置 ${file}。请先写一个开启了渠道的配置：${ownCommand()} setup。或用 --config FILE 指定。`,
    oddPath: ({ path }) =>
      `${JSON.stringify(path)} 不能写进服务文件：请给文件夹改名，不要有控制字符，末尾不要有反斜杠或空格。`,
    isRoot:
      '你是 root。Keyturn 应该有自己的用户：用那个用户登录，再运行这个命令；或按 docs/deploy.md 的说明使用 contrib/keyturn.service。如果这台机器没有其他用户：--as-root',
    noManager:
      '这台机器没有 systemd，也没有 launchd。请用 docker compose，或让你自己的监管程序启动 “keyturn”：见 docs/deploy.md。退出码 78 表示配置有错，重新启动没有用。',
    noUserManager: ({ fault }) =>
      `这里的 systemd 不管理这个用户的服务：${fault}。请直接以这个用户登录（ssh，或 machinectl shell USER@），不要用 su 或 sudo。容器里一般没有 systemd：见 docs/deploy.md。`,
    differs: ({ file }) => `${file} 已经存在，将会改变：`,
    replaceIt: '替换它吗？',
    addForce: '什么都没有改。要替换它，请加上 --force。',
    outsideRuns: ({ folder }) => `有一个不属于服务的 Keyturn 正在使用 ${folder}。请先结束它，再运行这个命令。`,
    ofTerminal: ({ names, file }) =>
      `只有这个终端里有 ${names.join('、')}：服务启动时没有它们。请以 NAME=value 的形式写进 ${file}，然后重新启动服务。`,
    installed: ({ file }) => `已安装，并且正在运行：${file}`,
    notWritable: ({ file, reason }) => `无法写入 ${file}：${reason}。它保持原样。`,
    changedMeanwhile: ({ file }) => `${file} 刚才被改动，保持不变。请再执行一次命令。`,
    notStarted: ({ fault, command }) => `文件已写好，但服务没有启动：${fault}\n原因：${command}`,
    where: ({ command }) => `它的日志：${command}`,
    lingers: '你没有登录时它也会运行。',
    lingerNow: '没有登录时也让它运行吗？',
    lingerLater: ({ command }) => `你退出登录时它会结束，登录时会启动。要让它一直运行：${command}`,
    lingerFailed: ({ fault, command }) => `无法设置成没有登录时也运行：${fault}。请试试：sudo ${command}`,
    notInstalled: ({ file }) => `没有安装：没有 ${file}。要安装：${ownCommand()} service install`,
    removed: ({ file }) => `已结束并删除：${file}。配置、数据和文件都在原处。`,
    notRemoved: ({ fault }) => `无法结束它：${fault}`,
    labels: {
      service: '服务',
      state: '状态',
      starts: '启动',
      since: '从何时起',
      lastExit: '上次结束',
      restarts: '重启次数',
      log: '日志',
      note: '注意',
    },
    startsItself: '自动',
    startsNot: `不自动：${ownCommand()} service install`,
    isOutdated: `服务文件和这个版本在这个位置会写的不同。要查看区别并更新：${ownCommand()} service install`,
    pathGone: ({ path }) =>
      `它会启动 ${path}，但这个文件已经不在：文件夹被移动了，或 Node 被删除了。要更新：${ownCommand()} service install`,
  },
});
