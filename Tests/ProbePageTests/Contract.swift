import ProbePage
