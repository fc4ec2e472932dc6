import { catalogue } from '../../../lib/words.ts';

interface Fault {
  readonly fault: string;
}

interface FromTo {
  readonly from: string;
  readonly to: string;
}

/** The command that brings a newer version. Paths, versions and commands are plain text. */
export const updateWords = catalogue({
  en: {
    options: {
      check: 'only tell what is newer',
      yes: 'do it without asking',
      try: 'only try whether this version opens the data of this backup',
    },
    update: {
      summary: 'take the newest version, and go back if it does not start',
      more: 'A clone follows its branch, a global package the registry of npm. It makes a backup first, tries the\nnewer version with a copy of the data, and starts the service again if there is one.',
    },
    noGit: ({ fault }: Fault) =>
      `git cannot read this clone: ${fault}. Give the command as the user to whom the folder belongs.`,
    noBranch: 'This clone is on no branch. Switch to one: git switch main',
    noUpstream: ({ branch }: { readonly branch: string }) =>
      `The branch ${branch} follows none of another place. "git remote -v" shows the places; then: git branch --set-upstream-to=origin/${branch}`,
    localChanges: ({ files, count }: { readonly files: readonly string[]; readonly count: number }) =>
      `Files of this clone were changed here: ${files.join(', ')}${count > files.length ? `, and ${count - files.length} more` : ''}. Put them aside first: git stash`,
    diverged: ({ branch }: { readonly branch: string }) =>
      `This clone has commits that ${branch} has not, so it cannot just follow. Merge them yourself: git pull`,
    notFetched: ({ fault }: Fault) => `What is newer could not be fetched, and nothing was changed.\n${fault}`,
    notPublished: 'The registry of npm has no package keyturn: it cannot be updated from there.',
    notInRegistry: ({ fault }: Fault) =>
      `The registry of npm does not tell of newer versions: ${fault}\nInstall a newer file yourself: keyturn backup && npm install -g ./keyturn-VERSION.tgz`,
    notWritable: ({ folder, latest }: { readonly folder: string; readonly latest: string }) =>
      `There is ${latest}, but this user may not write to ${folder}. Update it yourself: keyturn backup && sudo npm install -g keyturn@${latest}`,
    otherKind: ({ folder }: { readonly folder: string }) =>
      `${folder} is neither a clone nor a global package. In a container: docker compose build --pull && docker compose up -d. In a project: npm install keyturn@latest. With npx: npx keyturn@latest.`,
    newest: ({ version }: { readonly version: string }) => `This is the newest version: ${version}.`,
    newer: ({ from, to }: FromTo) => `There is a newer version: ${to}. This is ${from}.`,
    changes: 'What changes:',
    goneKeys: ({ keys }: { readonly keys: readonly string[] }) =>
      `Your config has keys that the newer version does not know: ${keys.join(', ')}. Change them first, or it goes back.`,
    askFirst: 'Update now?',
    addYes: 'Nothing was changed. To update, add --yes.',
    runsOutside:
      'Keyturn runs, and not as the service of this user, so it cannot be stopped and started from here. End it, update, then start it again.',
    otherConfig: ({ config, named }: { readonly config: string; readonly named: string }) =>
      `The service runs with ${config}, and not with ${named}, so nothing was changed. Give the command without --config.`,
    silentService: ({ config, fault }: Fault & { readonly config: string }) =>
      `The service runs, but does not answer for ${config}, so nothing was changed. Name the config that it uses, with --config. ${fault}`,
    unreachable: ({ fault }: Fault) => `Whether Keyturn runs is not clear, so nothing was changed. ${fault}`,
    steps: {
      stopping: 'The service is stopped.',
      saved: ({ file }: { readonly file: string }) => `A backup was made: ${file}`,
      taken: 'The newer version is in place. It is tried now.',
      tried: ({ hasData }: { readonly hasData: boolean }): string =>
        hasData ? 'It opens a copy of the data, and starts.' : 'It starts. There is no data yet.',
    },
    notPacked: ({ fault }: Fault) =>
      `It could not be packed, so it starts more slowly until you give the command: npm run build. ${fault}`,
    noMemoryToPack:
      'It was not packed, since less than 1.5 GB of memory are free, so it starts more slowly until you give the command: npm run build.',
    notStopped: ({ fault }: Fault) => `the service could not be stopped: ${fault}`,
    notSaved: ({ fault }: Fault) => `no backup could be made: ${fault}`,
    unfit: ({ part, fault }: Fault & { readonly part: 'version' | 'config' | 'data' | 'start' | 'service' }) =>
      `${{ version: 'the newer version cannot be run', config: 'it cannot use the config', data: 'it cannot open the data', start: 'it does not start', service: 'the service does not run with it' }[part]}: ${fault}`,
    updated: ({ from, to }: FromTo) => `Updated from ${from} to ${to}.`,
    startIt: 'Keyturn did not run: start it when you like.',
    wentBack: ({ fault, version }: Fault & { readonly version: string }) => `Back at ${version}, as before: ${fault}`,
    stuck: ({ fault, back, backup }: Fault & { readonly back: string; readonly backup: string | undefined }) =>
      `The update failed (${fault}), and going back failed too: ${back}\nGive the command again to go back once more.${backup === undefined ? '' : ` The data is in ${backup}.`}`,
    interrupted: ({ from, to }: FromTo) =>
      `An update from ${from} to ${to} was interrupted, and is not complete. It goes back to ${from} first.`,
    movedOn: ({ head, from, to, note }: FromTo & { readonly head: string; readonly note: string }) =>
      `This clone is at ${head} now, and neither at ${from} nor at ${to}. Keep what you have committed on a branch of its own, and go back to ${to}: git branch mine && git reset --keep ${to}. If it is as you want it, remove ${note} instead.`,
    underWay: ({ from, to, pid }: FromTo & { readonly pid: number }) =>
      `An update from ${from} to ${to} is under way, by process ${pid}. Wait until it is over.`,
    goBackNow: 'Go back now?',
    wasInterrupted: 'it was interrupted',
    tooLate: 'it took too long',
    opens: ({ file }: { readonly file: string }) => `This version opens the data of ${file}.`,
  },
  zh: {
    options: {
      check: '只查看有没有新版本',
      yes: '直接更新，不再询问',
      try: '只试试这个版本能不能打开这个备份里的数据',
    },
    update: {
      summary: '换上最新版本；如果它不能启动，就退回来',
      more: '克隆的源码跟随它的分支，全局安装的包跟随 npm 的仓库。它先做备份，用数据的副本试新版本，\n如果有服务，就重新启动服务。',
    },
    noGit: ({ fault }) => `git 读不了这个克隆：${fault}。请以文件夹所属的用户运行这个命令。`,
    noBranch: '这个克隆不在任何分支上。请切换到一个：git switch main',
    noUpstream: ({ branch }) =>
      `分支 ${branch} 没有跟随别处的分支。git remote -v 会列出来源，然后：git branch --set-upstream-to=origin/${branch}`,
    localChanges: ({ files, count }) =>
      `这个克隆里有文件在本地改过：${files.join('、')}${count > files.length ? `，还有 ${count - files.length} 个` : ''}。请先收起来：git stash`,
    diverged: ({ branch }) => `这个克隆有 ${branch} 没有的提交，不能直接跟随。请自己合并：git pull`,
    notFetched: ({ fault }) => `无法取得新内容，什么都没有改。\n${fault}`,
    notPublished: 'npm 的仓库里没有 keyturn 这个包，不能从那里更新。',
    notInRegistry: ({ fault }) =>
      `npm 的仓库没有说明新版本：${fault}\n请自己安装新的文件：keyturn backup && npm install -g ./keyturn-VERSION.tgz`,
    notWritable: ({ folder, latest }) =>
      `有 ${latest}，但这个用户不能写 ${folder}。请自己更新：keyturn backup && sudo npm install -g keyturn@${latest}`,
    otherKind: ({ folder }) =>
      `${folder} 既不是克隆，也不是全局安装的包。在容器里：docker compose build --pull && docker compose up -d。在项目里：npm install keyturn@latest。用 npx：npx keyturn@latest。`,
    newest: ({ version }) => `这已经是最新版本：${version}。`,
    newer: ({ from, to }) => `有新版本：${to}。现在是 ${from}。`,
    changes: '有这些变化：',
    goneKeys: ({ keys }) => `你的配置里有新版本不认识的键：${keys.join('、')}。请先修改，否则会退回来。`,
    askFirst: '现在更新吗？',
    addYes: '什么都没有改。要更新，请加上 --yes。',
    runsOutside: 'Keyturn 正在运行，但不是这个用户的服务，所以这里不能停止和启动它。请先结束它，更新，再启动。',
    otherConfig: ({ config, named }) =>
      `服务用的是 ${config}，不是 ${named}，所以什么都没有改。请不加 --config 运行这个命令。`,
    silentService: ({ config, fault }) =>
      `服务在运行，但没有以 ${config} 应答，所以什么都没有改。请用 --config 写出它使用的配置。${fault}`,
    unreachable: ({ fault }) => `不清楚 Keyturn 是否在运行，所以什么都没有改。${fault}`,
    steps: {
      stopping: '服务已停止。',
      saved: ({ file }) => `已做备份：${file}`,
      taken: '新版本已就位，现在试一试。',
      tried: ({ hasData }) => (hasData ? '它能打开数据的副本，也能启动。' : '它能启动。还没有数据。'),
    },
    notPacked: ({ fault }) => `它没能打包，所以启动会慢一些；运行 npm run build 就好。${fault}`,
    noMemoryToPack: '没有打包，因为空闲内存不到 1.5 GB，所以启动会慢一些；运行 npm run build 就好。',
    notStopped: ({ fault }) => `无法停止服务：${fault}`,
    notSaved: ({ fault }) => `无法做备份：${fault}`,
    unfit: ({ part, fault }) =>
      `${{ version: '新版本不能运行', config: '它不能使用这个配置', data: '它打不开数据', start: '它不能启动', service: '服务不能用它运行' }[part]}：${fault}`,
    updated: ({ from, to }) => `已从 ${from} 更新到 ${to}。`,
    startIt: 'Keyturn 之前没有运行：你可以在需要时启动它。',
    wentBack: ({ fault, version }) => `已退回 ${version}，和之前一样：${fault}`,
    stuck: ({ fault, back, backup }) =>
      `更新失败（${fault}），退回也失败了：${back}\n请再运行这个命令，再退回一次。${backup === undefined ? '' : `数据在 ${backup}。`}`,
    interrupted: ({ from, to }) => `从 ${from} 到 ${to} 的更新中断了，没有完成。会先退回 ${from}。`,
    movedOn: ({ head, from, to, note }) =>
      `这个克隆现在在 ${head}，既不是 ${from}，也不是 ${to}。请把你的提交留在另一个分支上，再回到 ${to}：git branch mine && git reset --keep ${to}。如果现在这样就是你要的，请改为删除 ${note}。`,
    underWay: ({ from, to, pid }) => `从 ${from} 到 ${to} 的更新正在进行，进程是 ${pid}。请等它结束。`,
    goBackNow: '现在退回吗？',
    wasInterrupted: '它中断了',
    tooLate: '花的时间太长',
    opens: ({ file }) => `这个版本能打开 ${file} 里的数据。`,
  },
});
