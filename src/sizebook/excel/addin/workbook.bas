' Excel starts no timer from a cell, but tells when it has calculated: then the cells that wait are looked after.
Option Explicit

Private WithEvents Watched As Application
Private some_wait As Boolean

Public Sub AskAgain()
    some_wait = True
    If Watched Is Nothing Then Set Watched = Application
End Sub

Private Sub Watched_AfterCalculate()
    If Not some_wait Then Exit Sub
    some_wait = False
    AnswerWaitingCellsLater
End Sub
