/* The stops of the guided tour, and the words that lead to them. */

/** A stop of the tour. */
export type Stop =
  | 'list'
  | 'write'
  | 'read'
  | 'edit'
  | 'run'
  | 'time'
  | 'search'
  | 'delete'
  | 'remember'
  | 'recall'
  | 'remind'
  | 'planned'
  | 'fetch'
  | 'model'
  | 'help';

/** The words that lead to a stop, beside those of its own sentence. */
export const stopHints: Readonly<Record<Stop, string>> = {
  list: 'list ls dir folder directory files show which what here 列 目录 文件夹 文件 有什么 哪些 看看',
  write: 'write save create make new note file text put txt document letter 写 新建 创建 保存 记录 文件 文档',
  read: 'read open show cat view print display content file txt look 读 打开 查看 内容 看 文件',
  edit: 'edit change replace modify update fix rename correct swap 改 换 替换 修改 编辑 更新',
  run: 'run execute command shell terminal bash script install start git npm python 运行 执行 命令 脚本 终端 安装',
  time: 'time date day today clock now hour 时间 几点 日期 今天 现在 星期',
  search: 'search find grep look locate where contains 搜 找 查找 搜索 在哪',
  delete: 'delete remove rm erase trash clean 删 删除 移除 清空',
  remember: 'remember memory note name call like know me my am 记 记住 我叫 我是 喜欢 名字',
  recall: 'remember know about me recall memory what who 记得 知道 我 什么',
  remind:
    'remind reminder alarm timer minutes hours later wake tomorrow every schedule 提醒 闹钟 分钟 小时 明天 定时 之后 每天',
  planned: 'reminders schedule planned tasks list calendar 提醒 计划 日程 安排',
  fetch:
    'web page site website internet http https url www link fetch browse online download 网页 网站 网址 链接 上网 下载',
  model:
    'ai model key api llm ollama openai claude gpt real smart chat talk translate weather joke explain 模型 智能 密钥 聊天 翻译 天气 笑话 接入',
  help: 'help commands what can features 帮助 功能 命令 能做',
};
