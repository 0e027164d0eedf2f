"""What `--help` says, in Chinese: help texts stand in English beside the options they explain, `ZH` has the Chinese of each."""

from __future__ import annotations

from typing import Any

from cyclopts.help import HelpEntry, HelpPanel, InlineText
from cyclopts.help.formatters import DefaultFormatter
from rich.console import Console, ConsoleOptions
from rich.text import Text

ZH = {
    # What help is divided into, and what every command has.
    "Commands": "命令",
    "Parameters": "参数",
    "Arguments": "参数",
    "Platform": "平台",
    "Output": "输出",
    "What is contested": "争议事项",
    "What is asked for": "请求",
    "Display this message and exit.": "显示帮助",
    "Display application version.": "显示版本",
    # The platform, and how data is printed.
    "data directory of a local platform, host:port, or service=host:port,…": "本地平台的数据目录、host:port，或 服务=host:port,…",
    "bearer token of the caller": "调用者的令牌",
    "person to act as, by the keys of a local platform; default its operator": "凭本地平台的密钥以此人身份操作；缺省为运营者",
    "folder of keys that may sign tokens (--as)": "可签发令牌的密钥目录（--as）",
    "championship id; default the only one": "赛事编号；只有一个赛事时可省略",
    "how data is printed on stdout": "标准输出的格式",
    "the same as --output json": "同 --output json",
    "data directory": "数据目录",
    "port of the web console, 0: any; default none": "网页控制台端口，0 为任意；缺省不启动",
    "file with the passphrase of the keys; default: ask": "存有密钥口令的文件；缺省为询问",
    "one process for each service": "每个服务一个进程",
    "services; default all": "服务；缺省为全部",
    "Folder to write.": "写入的目录",
    "The backup.": "备份目录",
    "person who plays without one; may be given several times": "自己打牌、不用机器人的人员；可多次给出",
    # The demo and random events.
    "what is played": "玩法",
    "kind of event": "赛制：人人赛、人机赛、双人赛、团体赛、积分赛",
    "how many entrants": "参赛者数",
    "default 3, of points 5": "缺省 3 轮，积分赛 5 轮",
    "boards a round; deals a match in points": "每轮副数；积分赛为每场最多副数",
    "human against machine (C1.3)": "人机赛（C1.3）",
    "of deals and thinking times; default any": "牌与用时的种子；缺省随机",
    "end after the report": "报告后结束",
    "leave the appeal to you (docs/contest.md)": "不代为申诉，留给您自己走一遍（docs/contest.md）",
    "the report as one object": "报告输出为一个 JSON 对象",
    "folder for an audit file a table and one for the championship": "存放每桌及整个赛事复核文件的目录",
    "data directory; an unfinished demo there is played on": "数据目录；其中未完的演示赛会继续",
    "folder for championship.yaml and entrants.csv": "存放 championship.yaml 与 entrants.csv 的目录",
    "the same seed gives the same event": "种子相同，赛事相同",
    # Seats of a round.
    "Round that is paired and has not begun.": "已编排而尚未开始的一轮",
    "Tables that change, each with its entrants by seat: r2-t1=1,2,3; 0 is house AI; 3:li-wen names the person of entrant 3.": (
        "有变动的牌桌及其各座参赛者：r2-t1=1,2,3；0 为电脑；3:li-wen 指明 3 号由谁入座"
    ),
    # Conduct at no table.
    "why (for officials, and whom it concerns)": "理由（工作人员与当事人可见）",
    "whose player did it": "哪一参赛者的选手",
    "the player, or the official who did it": "该选手，或该工作人员",
    "round in or after which it was": "所在或刚结束的一轮",
    "Row of the catalogue: A6, R1, S3.": "违规目录中的条目，如 A6、R1、S3",
    # Championships, entrants, rounds.
    "Championship file, YAML or JSON (docs/championship-file.md).": "赛事文件，YAML 或 JSON（docs/championship-file.md）",
    "Text file.": "文本文件",
    "Person id.": "人员编号",
    "The office.": "职务：组织者、裁判长、副裁判长、裁判员、仲裁员",
    "the official's unit": "官员所属单位",
    "why this one (C9.4)": "任命理由（C9.4）",
    "name every bad row, as --json does": "列出全部有误的行（--json 亦然）",
    "why": "理由",
    "CSV with the columns number, person_id, unit_id, name, contact; person_id_2 and so on for pairs and teams.": (
        "CSV，列为 number、person_id、unit_id、name、contact；双人与团体另有 person_id_2 等"
    ),
    "Entrant number.": "参赛编号",
    "entrant number": "参赛编号",
    "the defenders' P, bottom and fines included": "闲家得分，含抠底与罚分",
    "persons at the table who agree, one of each side at least: a,b": "同桌认可结果者，每方至少一人：a,b",
    "why it counts all the same, or which fine makes P no multiple of 5": "未获认可而仍生效的理由，或使得分不为 5 的倍数的罚分",
    "the rank that is shared": "并列的名次",
    "round; default the newest": "轮次；缺省为最新一轮",
    "round; default all": "轮次；缺省为全部",
    "round; default the next": "轮次；缺省为下一轮",
    "why it is closed before all its boards are": "各副未完即结束的理由",
    "follow it, a line a change": "持续显示，每次变化一行",
    # Boards, results, standings.
    "Board of the round.": "本轮第几副",
    "board of the round": "本轮第几副",
    "round of the board": "该副所在轮次",
    "Table id.": "桌号",
    "Round of the board.": "该副所在轮次",
    "every table at this decision; default what was chosen at each": "列出此决策处的各桌；缺省为每次决策的各种选择",
    "table whose line is followed; default the first": "按哪一桌的进程；缺省为第一桌",
    "audit file: no service asked": "读取审计文件，不连接服务",
    "attempt, where a ruling had the board replayed": "第几次打；按裁决重打的副才有",
    "what this seat knew": "只看此座当时所知",
    "all hands (the default)": "看所有手牌（缺省）",
    "look through it with keys: forwards, backwards, to a decision; without a terminal all, with choices": (
        "用按键查看：前进、后退、跳到决策；无终端时连同可选动作全部列出"
    ),
    "replay kept with --json, case file, or audit file: no service asked": "由 --json 保存的复盘、案卷或审计文件读取，不连接服务",
    "publication number, RFC 3339 time, or cut (STREAM@SEQUENCE,…; `score publications --json` has them);"
    " default live": "公布序号、RFC 3339 时刻或日志位置（流@序号,…，见 score publications --json）；缺省为实时",
    "Tables; of teams both rooms of a match play it. None: every table of the round.": (
        "桌号；团体赛为一场的两个房间。不写则本轮各桌都重打"
    ),
    'How each figure ruled is worked out: "10 + 2*5" "-5 - 5" "-5 - 5".': (
        '裁决的每个数如何算得："10 + 2*5" "-5 - 5" "-5 - 5"'
    ),
    "which of the remedies ruled there, from 1": "该申诉裁定的第几项，从 1 数起",
    "raw scores by seat, sum 0: 10,-5,-5": "各座得分，和为 0：10,-5,-5",
    "why (it is published)": "理由（将公布）",
    "round of the match": "该场所在轮次",
    "Side that won: 0 sits in seats 0 and 2, 1 in seats 1 and 3.": "获胜方：0 为 0、2 座，1 为 1、3 座",
    "Levels by side, A,7; ten is T.": "双方级数，如 A,7；10 写作 T",
    "percentage by seat: 60,50,40": "各座得分率：60,50,40",
    "0 to 100, one decimal.": "0 至 100，一位小数",
    "Id of the penalty, by which it can be changed.": "罚分编号，凭此更改",
    "Percentage points, one decimal.": "百分点，一位小数",
    "publication; default the newest": "公布序号；缺省为最新",
    # Tables.
    "As anybody sees it: a match of the points format, some minutes late.": "以观众身份观看：积分赛，延迟数分钟",
    "table id; default wherever you are seated": "桌号；缺省为您所在的桌",
    "file to keep receipts in, for `audit verify --receipts`": "留存回执的文件，供 audit verify --receipts 使用",
    "Seat of who did it.": "违规者的座位",
    "Row of the catalogue: V1, A3, S10.15.": "违规编号：V1、A3、S10.15",
    "points of the fine, in the running deal or, with real cards, in P (S9.2)": "罚分，计入正在进行的一副；实体牌计入得分（S9.2）",
    "warning, fine, removal or forfeit.": "warning 警告、fine 罚分、removal 离场或 forfeit 判负",
    "The ruling.": "判罚内容",
    "clause of the rules": "规则条款",
    "a ruling of this table that holds no longer (chief referee)": "被更改的本桌判罚（裁判长）",
    "why, where the ruling does not say so": "理由，判罚内容未写明时",
    "who takes the seat; default house AI": "由谁接替；缺省为电脑",
    "Seat number, from 0.": "座位号，从 0 起",
    "The first version in doubt, as `fupan audit reconcile` names it.": "存疑的第一个版本，见 fupan audit reconcile",
    "Whose record stands: the stream's or the archive's.": "以谁的记录为准：stream 流或 archive 存档",
    "close the open board without a result (C2.2)": "中止未完的一副，无成绩（C2.2）",
    # Appeals.
    "why, in writing": "书面理由",
    "why, where there is something to say": "原因（可不填）",
    "Appeal id.": "申诉编号",
    "The part's number, as `fupan appeal show` has it.": "该项的序号，见 `fupan appeal show`",
    "In whole units of the currency.": "以货币的元为单位",
    "ISO 4217, CNY.": "ISO 4217 货币代码，如 CNY",
    "of the payment": "付款凭证号",
    "Person id of an arbitrator.": "仲裁员的人员编号",
    "More of them.": "其他仲裁员",
    "when the vote ends, in the event's zone; default as late as may be: when the answer is due, or a day from now": (
        "投票截止时间，按赛事时区；缺省为最晚：答复期限，或自现在起一日"
    ),
    "steps in for an absent member": "候补，接替缺席者",
    "how it was dealt with (it is published)": "如何处理（将公布）",
    "why you may not judge this": "须回避的理由",
    "its case file; who opens it is logged": "其案卷；查阅者记入日志",
    "write the case file as it was frozen": "把案卷按封存原样写入文件",
    "uphold or reject.": "uphold 支持或 reject 驳回",
    "table of the board": "该副所在桌",
    "attempt of the board": "该副第几次打",
    "a referee's ruling, by its id": "裁判判罚的编号",
    "published standings, by number": "第几次公布的名次",
    "the pairing of a round": "第几轮的编排",
    "raw scores by seat: 10,-5,-5": "各座得分：10,-5,-5",
    "have it played again, with another deal; at one table alone each seat gets 50 %, whatever is scored": (
        "重打这一副，另发一副牌；仅一桌重打时，不论得分各座记 50 %"
    ),
    "void it, percentage by seat: 60,50,40; of teams none": "作废，各座得分率：60,50,40；团体赛写 none",
    "another result of the table's match, winning side and levels: 0=A=7": "该桌比赛的另一结果，胜方与级数：0=A=7",
    "ranks down to which something is given, a prize or a place: 3,8; default those of the championship's file": "奖励或晋级"
    "的名次线：3,8；默认取赛事文件所列",
    "those too for whom nothing changes": "也列出没有变化者",
    "how the next round would be seated otherwise": "下一轮座位会有何不同",
    "board of the round; of the points format none": "本轮第几副；积分赛不填",
    "table of the board or match": "该副或该场所在桌",
    "round of the board or match": "该副或该场所在轮次",
    "what an appeal contests, and asks something for": "某项申诉的争议事项及其请求所及",
    "what is sought in an appeal, in place of remedies": "某项申诉的请求，代替补救选项",
    "a penalty, by its name": "罚分编号",
    "who disputes the pairing": "对编排有异议的参赛编号",
    "publication number or RFC 3339 time: what changed in that publication since, and by what": "公布序号或 RFC 3339"
    " 时间：该次公布之后有何变化、因何变化",
    "with --pairing, other seats before the round begins: TABLE=1,2,3, each table that changes": (
        "与 --pairing 同用，该轮开始前改座：桌号=1,2,3，有变动的每桌各写一项"
    ),
    "a percentage for the board: ENTRANT=60; with --pairing for each board named: ENTRANT=BOARD=60": (
        "裁定该副得分率：编号=60；与 --pairing 同用时逐副写：编号=副=60"
    ),
    "a penalty on R: NAME=ENTRANT=2.5, 0 lifts it": "对 R 的罚分：名称=编号=2.5，0 为撤销",
    # Score sheets.
    "why, where they were entered before": "重新登记的理由",
    "where it was played; default the table": "比赛地点；缺省为桌号",
    "when the match began; default when its table was opened": "开始时间；缺省为开桌时间",
    "when it ended; default now": "结束时间；缺省为现在",
    "why the last deal was still played when time was over (C8.3)": "时间已到仍打最后一副的原因（C8.3）",
    "which act of that seat in that deal: one act is fined once (S9.2)": "该座在该副的第几次违例：一错不二罚（S9.2）",
    "whose it is, on a referee's device; default one's own": "在裁判设备上为谁办理；缺省为本人",
    "CSV, a deal a row: declarer, level, points, fines_02, fines_13, rises_02, rises_13.": (
        "CSV，每副一行：declarer、level、points、fines_02、fines_13、rises_02、rises_13"
    ),
    "which outcome of the row was found": "认定该条目的哪种情形",
    "cards that the fine counts": "按张罚分的张数",
    "points, where the catalogue leaves them to the referee": "由裁判酌定的罚分",
    "Number of the deal, from 1.": "第几副，从 1 起",
    "Row of the catalogue: S10.5.": "条目：S10.5",
    "Seat of who was said to have done it.": "原登记的座位",
    "side that wins by the ruling, whatever was played": "判定的胜方",
    "clause of that ruling": "判定所依条款",
    "CSV of other deals; default those that are entered.": "另一份各副 CSV；缺省为已登记的各副",
    "what one signs as": "签名身份",
    "Who refuses.": "拒签者",
    "File to write; its name ends in .pdf or .csv.": "写入的文件，以 .pdf 或 .csv 结尾",
    "all of them are in order": "全部符合要求",
    "What was checked and is in order; an item that is missing is named.": "已检查合格的项目；缺项会列出",
    # Audits, certificates, rules, tokens.
    "file to write, <id>.fupan": "写入的文件，<编号>.fupan",
    "one table": "一桌",
    "one round; without table and round the whole": "一轮；桌与轮都不给则为整个赛事",
    "The file, from `fupan audit export` or `fupan demo --audit-out`.": (
        "由 fupan audit export 或 fupan demo --audit-out 得到的文件"
    ),
    "fingerprint of a key that may sign, known from elsewhere": "从别处得知的签名密钥指纹",
    "let the second referees read every board too; takes long": "由第二套裁判程序复核每副牌，耗时较长",
    "receipts that a player kept, one JSON object a line": "牌手留存的回执，每行一个 JSON 对象",
    "The certificate, from `fupan pairing certificate`.": "由 fupan pairing certificate 得到的证书",
    "the committed root (hex), as you know it from elsewhere": "从别处得知的承诺根（十六进制）",
    "file to write; default stdout": "写入的文件；缺省为标准输出",
    "File of cases, one JSON object a line; - is stdin.": "用例文件，每行一个 JSON 对象；- 为标准输入",
    "More files.": "更多文件",
    "how long the token is good": "令牌有效期（秒）",
}
"""Help texts and titles by their English."""


class Chinese:
    """Prints help as the parser does, in Chinese."""

    def __init__(self) -> None:
        self._plain = DefaultFormatter()

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """One panel of commands or parameters."""
        title = _zh(str(panel.title))
        entries = [_entry(entry) for entry in panel.entries]
        self._plain(console, options, panel.copy(title=title, entries=entries))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """The line that shows how the command is written."""
        if usage:
            line = str(usage).strip().removeprefix("Usage:").strip()
            console.print(Text(f"用法：{line}"), end="\n\n")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """What the command does."""
        self._plain.render_description(console, options, description)


def _entry(entry: HelpEntry) -> HelpEntry:
    """An entry with its remarks in Chinese behind its text."""
    text = entry.description
    parts = [_zh(str(text.primary_renderable if isinstance(text, InlineText) else text or ""))]
    if entry.choices:
        parts.append(f"[可选：{'、'.join(entry.choices)}]")
    if entry.env_var:
        parts.append(f"[环境变量：{'、'.join(entry.env_var)}]")
    if entry.default is not None:
        parts.append(f"[缺省：{entry.default}]")
    if entry.required:
        parts.append("[必填]")
    described = Text(" ".join(part for part in parts if part))
    return entry.copy(description=described, choices=None, env_var=None, default=None, required=False)


def _zh(english: str) -> str:
    return ZH.get(english.strip(), english)
