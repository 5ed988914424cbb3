' Between cells and Python: ranges go over as their values, in one call; errors come back as texts of their codes.
Option Explicit
Option Private Module

Private told_folder As String

Public Function Answer(ByVal name As String, ByVal given As Variant) As Variant
    Dim sent() As Variant, i As Long
    TellFolder
    If UBound(given) < LBound(given) Then
        Answer = AsCells(CallPython(name, given))
        Exit Function
    End If
    ' A new array: an assignment to a place that holds a range may write into the sheet. What is left out stays empty.
    ReDim sent(LBound(given) To UBound(given))
    For i = LBound(given) To UBound(given)
        If IsObject(given(i)) Then
            sent(i) = Values(given(i))
        ElseIf Not IsMissing(given(i)) Then
            sent(i) = given(i)
        End If
    Next i
    Answer = AsCells(CallPython(name, sent))
End Function

' Cells may read files beside their own workbook. Python is told only when another workbook asks.
Private Sub TellFolder()
    Dim folder As String
    On Error Resume Next
    folder = Application.Caller.Worksheet.Parent.Path
    On Error GoTo 0
    If folder <> told_folder Then
        CallPython "FILES_BESIDE", Array(folder)
        told_folder = folder
    End If
End Sub

' Python starts without a folder, so that a new one is told again.
Public Sub ForgetFolder()
    told_folder = ""
End Sub

' Value2: dates and currencies as the numbers they are. A range of several areas would lose all but its first.
Private Function Values(ByVal cells As Object) As Variant
    If cells.Areas.Count > 1 Then Err.Raise IN_WORDS, "sizebook", Said("areas", cells.Address)
    Values = cells.Value2
End Function

' Python hands an error over as the text of its code. As a text ISERROR would not see it and SUM would skip it.
Public Function AsCells(ByVal result As Variant) As Variant
    Dim i As Long, j As Long
    If Not IsArray(result) Then
        AsCells = AsCell(result)
        Exit Function
    End If
    If Dimensions(result) = 1 Then
        For i = LBound(result) To UBound(result)
            result(i) = AsCell(result(i))
        Next i
    Else
        For i = LBound(result, 1) To UBound(result, 1)
            For j = LBound(result, 2) To UBound(result, 2)
                result(i, j) = AsCell(result(i, j))
            Next j
        Next i
    End If
    AsCells = result
End Function

Private Function Dimensions(ByRef values As Variant) As Long
    Dim last As Long
    On Error GoTo OneDimension
    last = UBound(values, 2)
    Dimensions = 2
    Exit Function
OneDimension:
    Dimensions = 1
End Function

Private Function AsCell(ByVal value As Variant) As Variant
    AsCell = value
    If VarType(value) <> vbString Then Exit Function
    Select Case value
{cases}
    End Select
End Function
