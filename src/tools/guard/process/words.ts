import { catalogue } from '../../../lib/words.ts';

/** Why commands have no sandbox, as half a sentence for those who run Keyturn and for owners. */
export const sandboxWords = catalogue({
  en: {
    isOff: 'tools.shell.sandbox is "off"',
    onlyOnLinux: 'there is one on Linux alone',
    noneForProcessor: ({ kind }: { readonly kind: string }) => `there is none for processors of the kind ${kind}`,
    noBubblewrap: 'bubblewrap is missing: `apt install bubblewrap socat`, then restart',
    noSocat: 'tools.shell.allowed_domains needs socat, which is missing: `apt install socat`, then restart',
    fails: ({ failure, mend }: { readonly failure: string; readonly mend: Mend }) =>
      `bubblewrap does not work here (${failure}): ${englishMends[mend]}`,
    ended: ({ how }: { readonly how: string }) => `it ended with ${how}`,
  },
  zh: {
    isOff: 'tools.shell.sandbox 设为 "off"',
    onlyOnLinux: '只有 Linux 上才有',
    noneForProcessor: ({ kind }) => `不支持 ${kind} 处理器`,
    noBubblewrap: '缺少 bubblewrap：运行 `apt install bubblewrap socat`，然后重启',
    noSocat: 'tools.shell.allowed_domains 需要 socat，但没有安装：运行 `apt install socat`，然后重启',
    fails: ({ failure, mend }) => `bubblewrap 在这里无法工作（${failure}）：${chineseMends[mend]}`,
    ended: ({ how }) => `它以 ${how} 结束`,
  },
});

/** Why a command, or a program of a plugin or server, did not run: for the model, in English, and for owners. */
export const boundsErrorWords = catalogue({
  en: {
    noSandbox: ({ reason }: { readonly reason: string }) =>
      `No command runs here: the config demands a sandbox (tools.shell.sandbox is "required"), and there is none: ${reason}. Only the operator can change that.`,
    noSocat: 'The command did not run: the sandbox needs socat to reach the network, and it is missing.',
    noProxy: ({ reason }: { readonly reason: string }) =>
      `The command did not run: the proxy of the sandbox could not be started (${reason}).`,
    link: ({ path }: { readonly path: string }) =>
      `The command did not run: ${path} is a link, which the sandbox cannot protect. Put there what it leads to, or take its name out of tools.shell.protected.`,
  },
  zh: {
    noSandbox: ({ reason }) =>
      `这里不运行任何命令：配置要求沙箱（tools.shell.sandbox 设为 "required"），但没有可用的沙箱：${reason}。只有运维人员可以更改。`,
    noSocat: '命令没有运行：沙箱需要 socat 才能访问网络，但没有安装。',
    noProxy: ({ reason }) => `命令没有运行：沙箱的代理无法启动（${reason}）。`,
    link: ({ path }) =>
      `命令没有运行：${path} 是链接，沙箱无法保护它。把它换成所指向的内容，或从 tools.shell.protected 中去掉它的名字。`,
  },
});

/** What makes a sandbox work again. */
export type Mend = 'relay' | 'version' | 'proc' | 'namespaces';

const englishMends: Readonly<Record<Mend, string>> = {
  relay: 'tools.shell.allowed_domains cannot be reached from it. See that socat works (`socat -V`), then restart',
  version: 'bubblewrap 0.7 or newer is needed',
  proc: 'a container hides parts of /proc: in Docker run with `--security-opt systempaths=unconfined`',
  namespaces:
    'unprivileged user namespaces are probably forbidden. Ubuntu 24.04 and newer: give bwrap an AppArmor profile that allows `userns`; in Docker: run with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`',
};

const chineseMends: Readonly<Record<Mend, string>> = {
  relay: '从沙箱中无法访问 tools.shell.allowed_domains。确认 socat 能用（`socat -V`），然后重启',
  version: '需要 bubblewrap 0.7 或更新的版本',
  proc: '容器隐藏了 /proc 的一部分：在 Docker 中加上 `--security-opt systempaths=unconfined` 运行',
  namespaces:
    '可能禁止了非特权用户命名空间。Ubuntu 24.04 及更新版本：给 bwrap 一个允许 `userns` 的 AppArmor 配置；在 Docker 中：加上 `--security-opt seccomp=unconfined --security-opt apparmor=unconfined` 运行',
};
