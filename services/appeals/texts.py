"""What a ruling says in words, in English and Chinese (C10.6, C10.7, C10.9)."""

from __future__ import annotations

_CONFORMITY = (
    "This ruling was made in conformity with the Arbitration Committee Regulations of the General Administration of Sport of China"
    " (C10.9). It is final (C10.7)."
)
_CONFORMITY_ZH = "本裁决依照国家体育总局《仲裁委员会条例》作出（C10.9），为最终裁决，不得更改（C10.7）。"


def ruling(appeal: str, upheld: bool, votes_for: int, votes_against: int) -> tuple[str, str]:
    """The text of a ruling, English and Chinese."""
    outcome = "upheld; the fee is refunded" if upheld else "rejected; the fee is kept"
    outcome_zh = "申诉成立，退回申诉费" if upheld else "申诉不成立，申诉费不予退还"
    return (
        f"Appeal {appeal} is {outcome}, by {votes_for} votes to {votes_against}. {_CONFORMITY}",
        f"申诉 {appeal}：{votes_for} 票赞成，{votes_against} 票反对，{outcome_zh}。{_CONFORMITY_ZH}",
    )
